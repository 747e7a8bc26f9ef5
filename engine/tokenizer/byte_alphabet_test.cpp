#include "engine/tokenizer/byte_alphabet.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace assay {
namespace {

TEST(ByteAlphabet, KnownLetters) {
  EXPECT_EQ(byte_letter('a'), "a");
  EXPECT_EQ(byte_letter('~'), "~");
  EXPECT_EQ(byte_letter(' '), "\xc4\xa0");   // U+0120
  EXPECT_EQ(byte_letter('\n'), "\xc4\x8a");  // U+010A
  EXPECT_EQ(byte_letter(0x00), "\xc4\x80");  // U+0100
  EXPECT_EQ(byte_letter(0x7f), "\xc4\xa1");  // U+0121, after the 33 controls and the space
  EXPECT_EQ(byte_letter(0xa0), "\xc5\x82");  // U+0142
  EXPECT_EQ(byte_letter(0xad), "\xc5\x83");  // U+0143, the last
  EXPECT_EQ(byte_letter(0xa1), "\xc2\xa1");
  EXPECT_EQ(byte_letter(0xff), "\xc3\xbf");
}

TEST(ByteAlphabet, IsInvertible) {
  std::set<std::string_view> letters;
  for (int byte = 0; byte < 256; ++byte) {
    const std::string_view letter = byte_letter(static_cast<std::uint8_t>(byte));
    EXPECT_EQ(letters_to_bytes(letter), std::string(1, static_cast<char>(byte)));
    letters.insert(letter);
  }
  EXPECT_EQ(letters.size(), 256u);
}

TEST(ByteAlphabet, LeavesOtherCharactersAlone) {
  EXPECT_EQ(letters_to_bytes("\xc4\xa0the"), " the");
  EXPECT_EQ(letters_to_bytes("\xe4\xb8\xad"), "\xe4\xb8\xad");          // three bytes
  EXPECT_EQ(letters_to_bytes("\xf0\x9f\x98\x80"), "\xf0\x9f\x98\x80");  // four
  EXPECT_EQ(letters_to_bytes("\xc5\x84"), "\xc5\x84");                  // U+0144: beyond
  EXPECT_EQ(letters_to_bytes(" \n"), " \n");
  EXPECT_EQ(letters_to_bytes("\xc4"), "\xc4");  // cut
}

}  // namespace
}  // namespace assay
