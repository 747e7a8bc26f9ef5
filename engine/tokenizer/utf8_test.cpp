#include "engine/tokenizer/utf8.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

using namespace std::string_literals;

TEST(Utf8, LeavesWellFormedTextAlone) {
  for (const std::string& text :
       {""s, "plain"s, "a\0b"s, "\x7f"s, "\xc2\x80"s, "\xdf\xbf"s, "\xe0\xa0\x80"s, "\xef\xbf\xbf"s,
        "\xf0\x90\x80\x80"s, "\xf4\x8f\xbf\xbf"s, "\xe4\xb8\xad\xe6\x96\x87 \xf0\x9f\x98\x80"s}) {
    EXPECT_EQ(repair_utf8(text), text);
  }
}

TEST(Utf8, EveryStrayByteBecomesAReplacementCharacter) {
  EXPECT_EQ(repair_utf8("a\xff"
                        "b"),
            "a\xef\xbf\xbd"
            "b");
  EXPECT_EQ(repair_utf8("\x80\x80"), "\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(repair_utf8("\xe4\xb8"), "\xef\xbf\xbd\xef\xbf\xbd");    // cut at the end
  EXPECT_EQ(repair_utf8("\xe2(\xa1"), "\xef\xbf\xbd(\xef\xbf\xbd");  // cut by a letter
  EXPECT_EQ(repair_utf8("\xf8\x88"), "\xef\xbf\xbd\xef\xbf\xbd");    // no such lead byte
}

TEST(Utf8, BeyondTheLastCodePointIsStray) {
  EXPECT_EQ(repair_utf8("\xf4\x90\x80\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

TEST(Utf8, OverlongFormsComeOutShort) {
  EXPECT_EQ(repair_utf8("\xc0\x80"), "\0"s);
  EXPECT_EQ(repair_utf8("\xe0\x81\x81"), "A");
  EXPECT_EQ(repair_utf8("\xf0\x82\x82\xac"), "\xe2\x82\xac");
}

TEST(Utf8, SurrogatesPassAndCanBeHidden) {
  const std::string text = "a\xed\xa0\x80\xed\xbf\xbf\xed\x9f\xbf";
  EXPECT_EQ(repair_utf8(text), text);
  EXPECT_EQ(without_surrogates(text), "a\xef\xbf\xbd\xef\xbf\xbd\xed\x9f\xbf");
}

}  // namespace
}  // namespace assay
