#include "gates/statistics/plan.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/core/error.h"
#include "gates/statistics/student_t.h"

namespace assay {
namespace {

std::string refusal(double bar, int pairs, double margin, int arms = 2) {
  try {
    make_plan(bar, pairs, margin, arms);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "accepted";
}

TEST(MakePlan, LooksAtHalfThreeQuartersAndAll) {
  const AbPlan plan = make_plan(0.05, 16, 0.05);
  ASSERT_EQ(plan.looks.size(), 3u);
  EXPECT_EQ(plan.looks[0].pairs, 8);
  EXPECT_EQ(plan.looks[1].pairs, 12);
  EXPECT_EQ(plan.looks[2].pairs, 16);
  EXPECT_EQ(plan.confirmation_pairs, 8);
}

TEST(MakePlan, BoundariesAreTheKnownTValuesForTwelvePairs) {
  const AbPlan plan = make_plan(0.003, 12, 0);
  // From unrounded p; two digits of 0.00041 move the first by 0.011.
  const double expected[] = {7.16, 3.54, 2.65};
  const double rounding[] = {0.015, 0.005, 0.005};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(t_upper_quantile(plan.looks[i].p, plan.looks[i].pairs - 1), expected[i],
                rounding[i]);
  }
}

TEST(MakePlan, RefusesWhatCannotBeRun) {
  EXPECT_EQ(refusal(0.05, 10, 0.05), "A/B plan: 10 pairs; give a multiple of 4 from 8 to 96");
  EXPECT_EQ(refusal(0.05, 100, 0.05), "A/B plan: 100 pairs; give a multiple of 4 from 8 to 96");
  EXPECT_EQ(refusal(0.05, 4, 0.05), "A/B plan: 4 pairs; give a multiple of 4 from 8 to 96");
  EXPECT_EQ(refusal(1.5, 16, 0.05), "A/B plan: bar 1.5 and guard margin 0.05 must lie in [0, 1)");
  EXPECT_EQ(refusal(-0.1, 16, 0.05), "A/B plan: bar -0.1 and guard margin 0.05 must lie in [0, 1)");
  EXPECT_EQ(refusal(std::nan(""), 16, 0),
            "A/B plan: bar nan and guard margin 0 must lie in [0, 1)");
  EXPECT_EQ(refusal(0, 8, 0, 4), "A/B plan: 4 arms; give 2 or 3");
  EXPECT_EQ(refusal(0, 8, 0, 3), "accepted");
  EXPECT_EQ(refusal(0, 8, 0), "accepted");
  EXPECT_EQ(refusal(0, 96, 0), "accepted");
}

TEST(AbPlan, JsonGivesTheSamePlanBack) {
  AbPlan plan = make_plan(0.05, 16, 0.03);
  plan.segment_s = 0.15;
  plan.workload = {{"model", "embedded"}, {"phase", "decode"}};
  plan.aa = {{"0123", {0.001, -0.002}}, {"4567", {1.0 / 3}}};
  plan.guards = {{{{"phase", "prefill"}}, {{"89ab", {0.25}}}}};
  const nlohmann::json json = plan;
  const AbPlan again = nlohmann::json::parse(json.dump()).get<AbPlan>();
  EXPECT_EQ(nlohmann::json(again), json);
  EXPECT_EQ(again.aa[1].pair_values[0], 1.0 / 3);
  EXPECT_EQ(again.guards[0].aa[0].id, "89ab");
}

TEST(AbPlan, OneStoredBeforeThereWereThreeArmsHasTwo) {
  nlohmann::json json = make_plan(0.05, 16, 0.03);
  json.erase("arms");
  json["looks"] = {{{"pairs", 8}, {"p", 0.00041}}, {{"pairs", 16}, {"p", 0.0113}}};
  const AbPlan plan = json.get<AbPlan>();
  EXPECT_EQ(plan.arms, 2);
  ASSERT_EQ(plan.looks.size(), 2u);
  EXPECT_EQ(plan.looks[0].p, 0.00041);  // as it was stored, not as it would be computed today
  check_plan(plan);
  json["arms"] = 3;
  EXPECT_EQ(json.get<AbPlan>().arms, 3);
}

TEST(SmallestGuardMargin, IsFiveStandardErrors) {
  EXPECT_NEAR(smallest_guard_margin(0.008, 16), 0.01, 1e-12);
}

}  // namespace
}  // namespace assay
