#include "gates/statistics/ledger.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gates/statistics/simulated_pairs.h"

namespace assay {
namespace {

// The judgement of a plan over `n` pairs about a mean.
AbJudgement judged(const AbPlan& plan, double mean_d, int n, int fresh = 0) {
  std::vector<LaunchPair> pairs;
  for (int i = 0; i < n + fresh; ++i) {
    const double d = mean_d + (i % 2 == 0 ? 0.02 : -0.02);
    pairs.push_back(PairSimulator::exact_pair(i < n ? "ab" : "confirmation", d));
  }
  return judge(plan, pairs);
}

TEST(Ledger, AnAttemptSpendsByItsLastLook) {
  const AbPlan plan = make_plan(0.05, 16, 0.05);
  EXPECT_EQ(ledger_row("one", 1, plan, judged(plan, 0.05, 7)).alpha, 0);
  EXPECT_NEAR(ledger_row("one", 1, plan, judged(plan, 0.05, 8)).alpha, plan.looks[0].p, 1e-12);
  const LedgerRow two = ledger_row("one", 2, plan, judged(plan, 0.05, 12));
  EXPECT_EQ(two.looks, 2);
  EXPECT_EQ(two.planned, 3);
  EXPECT_GT(two.alpha, plan.looks[1].p);  // and what the first look had spent
  EXPECT_LT(two.alpha, plan.looks[0].p + plan.looks[1].p);
  EXPECT_NEAR(ledger_row("one", 1, plan, judged(plan, 0.05, 16)).alpha, kAttemptAlpha, 1e-6);
}

TEST(Ledger, AStoredPlanSpendsByItsOwnLooks) {
  AbPlan plan = make_plan(0.05, 16, 0.05);
  plan.looks = {{8, 0.00041}, {12, 0.0038}, {16, 0.0113}};
  EXPECT_NEAR(ledger_row("old", 1, plan, judged(plan, 0.05, 16)).alpha, 0.0125, 0.0001);
  plan.looks = {{16, 0.2}};
  EXPECT_NEAR(ledger_row("old", 1, plan, judged(plan, 0.05, 16)).alpha, 0.2, 1e-9);
}

TEST(Ledger, AddsUpAttemptsThatLooked) {
  const AbPlan plan = make_plan(0.05, 16, 0.05);
  const std::vector<LedgerRow> rows = {
      ledger_row("one", 1, plan, judged(plan, 0.05, 16)),
      ledger_row("one", 2, plan, judged(plan, 0.05, 3)),
      ledger_row("two", 1, plan, judged(plan, std::log(1.2), 8, 8))};
  const Ledger ledger = add_up(rows);
  ASSERT_EQ(ledger.rows.size(), 2u);
  EXPECT_EQ(ledger.rows[1].experiment, "two");
  EXPECT_TRUE(ledger.rows[1].landed);
  EXPECT_EQ(ledger.lands, 1);
  EXPECT_NEAR(ledger.alpha, kAttemptAlpha + plan.looks[0].p, 1e-6);
  EXPECT_EQ(ledger.expected_false_lands, ledger.alpha / 2);
  const nlohmann::json json = ledger;
  EXPECT_EQ(nlohmann::json(json.get<Ledger>()), json);
}

TEST(Ledger, OfNothingIsNothing) {
  EXPECT_EQ(add_up({}).alpha, 0);
}

}  // namespace
}  // namespace assay
