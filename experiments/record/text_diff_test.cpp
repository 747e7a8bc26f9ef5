#include "experiments/record/text_diff.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(TextDiff, EqualTextsHaveNone) {
  EXPECT_EQ(unified_diff("a\nb\n", "a\nb\n", "x", "y"), "");
  EXPECT_EQ(unified_diff("", "", "x", "y"), "");
}

TEST(TextDiff, AChangedLineKeepsItsSurroundings) {
  EXPECT_EQ(unified_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n", "x", "y"),
            "--- x\n+++ y\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST(TextDiff, ChangesFarApartAreTwoHunks) {
  EXPECT_EQ(unified_diff("a\n1\n2\n3\n4\nb\n", "A\n1\n2\n3\n4\nb\nc\n", "x", "y", 1),
            "--- x\n+++ y\n@@ -1,2 +1,2 @@\n-a\n+A\n 1\n@@ -6 +6,2 @@\n b\n+c\n");
}

TEST(TextDiff, ChangesCloseTogetherAreOne) {
  EXPECT_EQ(unified_diff("a\n1\n2\nb\n", "A\n1\n2\nB\n", "x", "y", 1),
            "--- x\n+++ y\n@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n-b\n+B\n");
}

TEST(TextDiff, AnEmptySideNamesTheLineBefore) {
  EXPECT_EQ(unified_diff("", "a\n", "x", "y"), "--- x\n+++ y\n@@ -0,0 +1 @@\n+a\n");
  EXPECT_EQ(unified_diff("a\nb\n", "a\n", "x", "y", 0), "--- x\n+++ y\n@@ -2 +1,0 @@\n-b\n");
}

TEST(TextDiff, AMissingLastNewlineIsADifference) {
  EXPECT_EQ(unified_diff("a\nb", "a\nb\n", "x", "y"),
            "--- x\n+++ y\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n");
}

TEST(TextDiff, LinesThatMovedAreAlignedByTheLongestCommonPart) {
  EXPECT_EQ(unified_diff("a\nb\nc\nd\n", "b\nc\nX\nd\na\n", "x", "y"),
            "--- x\n+++ y\n@@ -1,4 +1,5 @@\n-a\n b\n c\n+X\n d\n+a\n");
}

TEST(TextDiff, TextsTooLongToAlignAreReplacedWhole) {
  std::string before;
  std::string after;
  for (int i = 0; i < 3000; ++i) {
    before += "old " + std::to_string(i) + "\n";
    after += "new " + std::to_string(i) + "\n";
  }
  const std::string diff = unified_diff(before, after, "x", "y");
  EXPECT_EQ(diff.rfind("--- x\n+++ y\n@@ -1,3000 +1,3000 @@\n-old 0\n", 0), 0u);
  EXPECT_NE(diff.find("-old 2999\n+new 0\n"), std::string::npos);
}

}  // namespace
}  // namespace assay
