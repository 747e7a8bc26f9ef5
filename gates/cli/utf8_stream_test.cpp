#include "gates/cli/utf8_stream.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Utf8Stream, CharactersSplitAnywhereComeOutWhole) {
  const std::string text = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z";  // 1, 2, 3, 4 and 1 bytes
  Utf8Stream stream;
  std::string all;
  for (const char byte : text) {
    const std::string piece = stream.push(std::string_view(&byte, 1));
    if (!piece.empty()) {
      // Each piece ends where a character ends.
      EXPECT_TRUE(piece == "a" || piece == "\xc3\xa9" || piece == "\xe2\x82\xac" ||
                  piece == "\xf0\x9f\x98\x80" || piece == "z");
    }
    all += piece;
  }
  EXPECT_EQ(all, text);
  EXPECT_EQ(stream.finish(), "");
}

TEST(Utf8Stream, UnfinishedCharacterWaitsAndIsGivenAtTheEnd) {
  Utf8Stream stream;
  EXPECT_EQ(stream.push("ab\xf0\x9f"), "ab");
  EXPECT_EQ(stream.push("\x98"), "");
  EXPECT_EQ(stream.finish(), "\xf0\x9f\x98");
  EXPECT_EQ(stream.finish(), "");
}

TEST(Utf8Stream, BytesThatAreNoCharacterPass) {
  Utf8Stream stream;
  EXPECT_EQ(stream.push("\xff\x80\x80\x80"), "\xff\x80\x80\x80");
  EXPECT_EQ(stream.push("\xc0"), "\xc0");
  EXPECT_EQ(stream.push("x"), "x");
}

}  // namespace
}  // namespace assay
