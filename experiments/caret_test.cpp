#include "experiments/caret.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Caret, StandsUnderTheByteColumn) {
  EXPECT_EQ(caret_message("f.yaml", "one\ntwo: 3\n", 1, 5, "no"), "f.yaml:2:6: no\ntwo: 3\n     ^");
}

TEST(Caret, CountsCharactersNotBytes) {
  EXPECT_EQ(caret_message("f", "é: ü x", 0, 6, "no"), "f:1:5: no\né: ü x\n    ^");
}

TEST(Caret, ATabIsOneColumn) {
  EXPECT_EQ(caret_message("f", "a\t\tb", 0, 3, "no"), "f:1:4: no\na  b\n   ^");
}

TEST(Caret, ALongLineIsCutToAWindowAroundThePlace) {
  const std::string line = std::string(200, 'a') + "X" + std::string(200, 'b');
  EXPECT_EQ(caret_message("f", line, 0, 200, "no"), "f:1:201: no\n..." + std::string(50, 'a') +
                                                        "X" + std::string(49, 'b') + "...\n" +
                                                        std::string(53, ' ') + "^");
  EXPECT_EQ(caret_message("f", line, 0, 2, "no"),
            "f:1:3: no\n" + std::string(100, 'a') + "...\n  ^");
  EXPECT_EQ(caret_message("f", line, 0, 401, "no"),
            "f:1:402: no\n..." + std::string(100, 'b') + "\n" + std::string(103, ' ') + "^");
}

TEST(Caret, PlacesPastTheEndMoveToIt) {
  EXPECT_EQ(caret_message("f", "ab\r\ncd", 0, 99, "no"), "f:1:3: no\nab\n  ^");
  EXPECT_EQ(caret_message("f", "", 0, 0, "no"), "f:1:1: no\n\n^");
}

TEST(Caret, BytesThatPrintNothingBecomeQuestionMarks) {
  EXPECT_EQ(caret_message("f", "a\x01\xff z", 0, 2, "no"), "f:1:3: no\na?? z\n  ^");
  EXPECT_EQ(caret_message("f", "a\xe9", 0, 1, "no"), "f:1:2: no\na?\n ^");
}

TEST(Shown, CutsAndCleansWhatTheUserWrote) {
  EXPECT_EQ(shown("ti\ntle"), "`ti?tle`");
  EXPECT_EQ(shown(std::string(70, 'x')), "`" + std::string(60, 'x') + "...`");
  EXPECT_EQ(shown(std::string(59, 'x') + "é"), "`" + std::string(59, 'x') + "...`");
}

}  // namespace
}  // namespace assay
