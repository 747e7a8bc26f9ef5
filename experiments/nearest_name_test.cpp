#include "experiments/nearest_name.h"

#include <gtest/gtest.h>

#include <array>

namespace assay {
namespace {

constexpr std::array<std::string_view, 4> kNames{"title", "tokens", "bar", "derived_from"};

TEST(NearestName, ForgivesWhatFingersDo) {
  EXPECT_EQ(nearest_name("titel", kNames), "title");   // neighbours swapped
  EXPECT_EQ(nearest_name("token", kNames), "tokens");  // one missing
  EXPECT_EQ(nearest_name("barr", kNames), "bar");      // one too many
  EXPECT_EQ(nearest_name("bat", kNames), "bar");       // one wrong
  EXPECT_EQ(nearest_name("derived-form", kNames), "derived_from");
}

TEST(NearestName, DoesNotGuessWildly) {
  EXPECT_EQ(nearest_name("wall", kNames), "");
  EXPECT_EQ(nearest_name("x", kNames), "");
  EXPECT_EQ(nearest_name("", kNames), "");
  EXPECT_EQ(nearest_name(std::string(5000, 't'), kNames), "");
}

TEST(Suggestion, FallsBackToTheGivenText) {
  EXPECT_EQ(suggestion("titel", kNames, "or not"), "; did you mean `title`?");
  EXPECT_EQ(suggestion("wall", kNames, "see the list"), "; see the list");
  EXPECT_EQ(suggestion("wall", kNames, ""), "");
}

}  // namespace
}  // namespace assay
