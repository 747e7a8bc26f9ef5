#include "engine/core/printable.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Printable, TextStaysAsItIs) {
  for (const char* text : {"", "plain \"text\"", "\xc3\xa9t\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x99\x82"}) {
    EXPECT_EQ(printable(text), text);
    EXPECT_EQ(first_not_utf8(text), std::nullopt);
  }
}

TEST(Printable, ControlCharactersAreShownAsBytes) {
  EXPECT_EQ(printable("a\x1b[31mb\tc\x7f"), "a\\x1b[31mb\\x09c\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");          // one character, begins a sequence too
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\xe2\\x80\\xae");  // turns the direction
  EXPECT_EQ(printable("a\nb\r"), "a\\x0ab\\x0d");
  EXPECT_EQ(printable("a\nb\r", true), "a\nb\\x0d");
}

TEST(Printable, WhatIsNoUtf8IsShownAsBytesAndFound) {
  EXPECT_EQ(printable("a\xff\xfe"), "a\\xff\\xfe");
  EXPECT_EQ(first_not_utf8("a\xff"), 1u);
  EXPECT_EQ(first_not_utf8("ab\xe2\x82"), 2u);           // cut short
  EXPECT_EQ(first_not_utf8("\xc0\xaf"), 0u);             // overlong
  EXPECT_EQ(first_not_utf8("\xe0\x80\xaf"), 0u);        // overlong
  EXPECT_EQ(first_not_utf8("\xed\xa0\x80"), 0u);        // a surrogate
  EXPECT_EQ(first_not_utf8("\xf4\x90\x80\x80"), 0u);   // above U+10FFFF
  EXPECT_EQ(printable("\xe2\x82z"), "\\xe2\\x82z");
}

}  // namespace
}  // namespace assay
