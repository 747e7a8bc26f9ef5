// The simulated plan must be the plan: its rates are compared with judge() on pairs drawn by
// another generator, and its figures with those that the design of the A/B was settled by.
#include "gates/statistics/plan_simulation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "engine/core/error.h"
#include "gates/statistics/judge.h"
#include "gates/statistics/simulated_pairs.h"

namespace assay {
namespace {

// f of bar + f pair_sd / sqrt(n_max), with K runs as long as the A/B itself.
double factor(double bar, int pairs_max, int aa_runs, int arms = 2) {
  constexpr double kPairSd = 0.002;
  const AbPlan plan = make_plan(bar, pairs_max, 0, arms);
  const double effect =
      smallest_detectable_effect(plan, kPairSd, {.runs = aa_runs, .pairs = pairs_max});
  const double f = (effect - bar) / kPairSd * std::sqrt(pairs_max);
  std::printf("bar %.3f, n_max %d, K %d, %d arms: f %.2f\n", bar, pairs_max, aa_runs, arms, f);
  return f;
}

TEST(SmallestDetectableEffect, HasTheFactorsOfTheDesign) {
  EXPECT_NEAR(factor(0.003, 16, 6), 4.3, 0.25);
  EXPECT_NEAR(factor(0.003, 16, 20), 3.8, 0.25);
  EXPECT_NEAR(factor(0, 16, 6), 4.9, 0.3);
  EXPECT_NEAR(factor(0, 16, 20), 4.6, 0.3);
}

// Share of LANDs of the judgement itself.
double landing_rate(const AbPlan& frozen, double effect, double pair_sd, int drawn_runs,
                    int experiments) {
  PairSimulator simulator(77);
  int landed = 0;
  for (int i = 0; i < experiments; ++i) {
    AbPlan plan = frozen;
    if (drawn_runs > 0) plan.aa = simulator.history(drawn_runs, 8, pair_sd);
    std::vector<LaunchPair> pairs;
    for (const auto& [stage, count] :
         {std::pair{"ab", plan.pairs_max}, std::pair{"confirmation", plan.confirmation_pairs}}) {
      for (int pair = 0; pair < count; ++pair) {
        pairs.push_back(plan.arms == 3
                            ? simulator.triple(stage, std::log1p(effect), pair_sd / std::sqrt(1.5))
                            : simulator.pair(stage, std::log1p(effect), pair_sd));
      }
    }
    if (judge(plan, pairs).action == AbAction::kLand) ++landed;
  }
  return static_cast<double>(landed) / experiments;
}

TEST(SmallestDetectableEffect, LandsInFourOfFiveRunsOfTheJudgement) {
  for (const int pairs_max : {8, 12, 16, 28}) {
    const AbPlan plan = make_plan(0.003, pairs_max, 0);
    const double effect = smallest_detectable_effect(plan, 0.002, {.runs = 6, .pairs = 8});
    EXPECT_NEAR(landing_rate(plan, effect, 0.002, 6, 2000), 0.8, 0.04) << pairs_max;
  }
}

TEST(SmallestDetectableEffect, HoldsForThreeArmsAndAStoredHistory) {
  for (const int pairs_max : {8, 16}) {
    AbPlan plan = make_plan(0.003, pairs_max, 0, 3);
    plan.aa = PairSimulator(4).history(6, 16, 0.002);
    const double effect = smallest_detectable_effect(plan, 0.002);
    EXPECT_NEAR(landing_rate(plan, effect, 0.002, 0, 1000), 0.8, 0.05) << pairs_max;
  }
}

TEST(SmallestDetectableEffect, KnowsThePlan) {
  AbPlan plan = make_plan(0.05, 16, 0);
  const double quiet = smallest_detectable_effect(plan, 0.005, {.runs = 6});
  EXPECT_EQ(smallest_detectable_effect(plan, 0.005, {.runs = 6}), quiet);
  EXPECT_GT(smallest_detectable_effect(plan, 0.01, {.runs = 6}), quiet);
  // More pairs help as far as the A/A runs are as long; beyond that the history is the error.
  const AbPlan longer = make_plan(0.05, 48, 0);
  const double by_long_runs = smallest_detectable_effect(longer, 0.005, {.runs = 6, .pairs = 48});
  EXPECT_LT(by_long_runs, quiet - 0.002);
  EXPECT_GT(smallest_detectable_effect(longer, 0.005, {.runs = 6}), by_long_runs + 0.002);
  plan.aa.assign(6, {"", std::vector<double>(16, 0.01)});
  EXPECT_GT(smallest_detectable_effect(plan, 0.005), quiet);
}

TEST(SmallestDetectableEffect, RefusesAPairSdOfNothing) {
  try {
    smallest_detectable_effect(make_plan(0.05, 16, 0), 0);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "a plan is simulated with a pair sd above 0, not 0");
  }
}

TEST(SelectionInflation, IsLargeWhereFewLandAndNoneWhereAllDo) {
  AbPlan plan = make_plan(0.003, 16, 0);
  plan.aa = PairSimulator(4).history(6, 16, 0.002);
  const SelectionInflation weak = selection_inflation(plan, 0.002, 0.0035);
  const SelectionInflation strong = selection_inflation(plan, 0.002, 0.05);
  std::printf(
      "at 0.35 %%: lands %.3f, look %+.5f, confirmation %+.5f; at 5 %%: %.3f, %+.5f, %+.5f\n",
      weak.lands, weak.crossing, weak.confirmed, strong.lands, strong.crossing, strong.confirmed);
  EXPECT_GT(weak.crossing, 0.0005);
  EXPECT_GT(weak.confirmed, 0.0001);
  EXPECT_GT(weak.crossing, weak.confirmed);
  EXPECT_LT(weak.lands, 0.3);
  EXPECT_EQ(strong.lands, 1);
  EXPECT_NEAR(strong.crossing, 0, 0.00006);  // four standard errors of 1,500 runs' means
  EXPECT_NEAR(strong.confirmed, 0, 0.00008);
  EXPECT_EQ(selection_inflation(plan, 0.002, 0.0035).crossing, weak.crossing);
}

TEST(SelectionInflation, IsNothingWhereNothingCrosses) {
  const SelectionInflation none = selection_inflation(make_plan(0.05, 16, 0), 0.002, 0);
  EXPECT_EQ(none.lands, 0);
  EXPECT_EQ(none.crossing, 0);
  EXPECT_EQ(none.confirmed, 0);
}

}  // namespace
}  // namespace assay
