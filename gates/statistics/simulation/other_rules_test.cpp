#include "gates/statistics/simulation/other_rules.h"

#include <gtest/gtest.h>

#include "gates/statistics/simulated_pairs.h"

namespace assay::simulation {
namespace {

bool lands(std::string_view name, const LaunchMeans& launches) {
  for (const OtherRule& rule : other_rules()) {
    if (rule.name == name) return rule.lands(launches);
  }
  ADD_FAILURE() << "no rule " << name;
  return false;
}

TEST(OtherRules, MannWhitneyGivesTheNormalApproximation) {
  // U = 0 of 81, mean 40.5, variance 81 x 19 / 12: z = 40 / sqrt(128.25), p = 0.000412.
  EXPECT_NEAR(mann_whitney_p({1, 2, 3, 4, 5, 6, 7, 8, 9}, {10, 11, 12, 13, 14, 15, 16, 17, 18}),
              0.000412, 5e-7);
  EXPECT_EQ(mann_whitney_p({1, 1, 1}, {1, 1, 1}), 1);
  EXPECT_EQ(mann_whitney_p({1, 4}, {2, 3}), 1);
}

TEST(OtherRules, EachLandsWhatItSays) {
  // B is 2 % faster in the mean, spread over less than that.
  const LaunchMeans clear{{102, 102.2, 101.8, 102.1, 101.9}, {100, 100.2, 99.8, 100.1, 99.9}};
  for (const OtherRule& rule : other_rules()) EXPECT_TRUE(rule.lands(clear)) << rule.name;
  // B is 0.5 % faster, and the arms overlap.
  const LaunchMeans little{{100.5, 100, 101}, {100, 99.5, 100.5}};
  EXPECT_FALSE(lands("mean +- sd apart", little));
  EXPECT_FALSE(lands("Mann-Whitney 0.05", little));
  EXPECT_FALSE(lands("min(new) > max(base), n 3", little));
  EXPECT_TRUE(lands("best of 5", little));
  EXPECT_FALSE(lands("1 % threshold", little));
  const LaunchMeans reversed{clear.b, clear.a};
  for (const OtherRule& rule : other_rules()) EXPECT_FALSE(rule.lands(reversed)) << rule.name;
}

TEST(OtherRules, SomeReadTheFirstLaunchesOnly) {
  const LaunchMeans late{{102, 102, 102, 90, 90, 80}, {100, 100, 100, 101, 101, 101}};
  EXPECT_TRUE(lands("min(new) > max(base), n 3", late));
  EXPECT_FALSE(lands("best of 5", late));
}

TEST(StoredPairs, AreJudgedInWindowsAndMirrored) {
  std::vector<LaunchPair> pairs;
  for (int i = 0; i < 10; ++i) {
    pairs.push_back(PairSimulator::exact_pair("calibrate", i % 2 == 0 ? 0.0001 : -0.0001));
  }
  pairs[9].environment = "another";  // spoils the last of three windows of eight
  const AbPlan plan = make_plan(0, 8, 0);
  const std::vector<RuleCount> none = judge_stored_pairs(pairs, plan, 0);
  ASSERT_EQ(none.size(), other_rules().size() + 1);
  for (const RuleCount& rule : none) {
    EXPECT_EQ(rule.judged, 4) << rule.name;
    // Best of 5 lands whatever is not exactly equal, in one of the two directions at least.
    EXPECT_EQ(rule.landed, rule.name == "best of 5" ? 2 : 0) << rule.name;
  }
  for (const RuleCount& rule : judge_stored_pairs(pairs, plan, 0.02)) {
    EXPECT_EQ(rule.landed, 4) << rule.name;
  }
}

TEST(StoredPairs, TooFewAreNotJudged) {
  const auto counts =
      judge_stored_pairs({PairSimulator::exact_pair("ab", 0.1)}, make_plan(0, 8, 0), 0);
  for (const RuleCount& rule : counts) EXPECT_EQ(rule.judged, 0);
}

}  // namespace
}  // namespace assay::simulation
