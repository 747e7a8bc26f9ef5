#include "gates/statistics/judge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/core/error.h"
#include "gates/statistics/simulated_pairs.h"

namespace assay {
namespace {

constexpr double kGain = 0.0953101798;  // ln 1.1

// n pairs about `mean_d`, alternately `spread` above and below.
std::vector<LaunchPair> around(const std::string& stage, double mean_d, double spread, int n) {
  std::vector<LaunchPair> pairs;
  for (int i = 0; i < n; ++i) {
    pairs.push_back(PairSimulator::exact_pair(stage, mean_d + (i % 2 == 0 ? spread : -spread)));
  }
  return pairs;
}

std::vector<LaunchPair> operator+(std::vector<LaunchPair> left,
                                  const std::vector<LaunchPair>& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

TEST(Judge, AsksForTheFirstLookBeforeAnything) {
  const AbPlan plan = make_plan(0.05, 16, 0.05);
  const AbJudgement none = judge(plan, {});
  EXPECT_EQ(none.action, AbAction::kMorePairs);
  EXPECT_EQ(none.next_stage, "ab");
  EXPECT_EQ(none.next_pairs, 8);
  EXPECT_FALSE(none.looked);
  EXPECT_FALSE(judge(plan, around("ab", kGain, 0.01, 7)).looked);
}

TEST(Judge, LandsOnlyAfterAConfirmation) {
  const AbPlan plan = make_plan(0.05, 16, 0.05);
  const auto pairs = around("ab", kGain, 0.01, 8);
  const AbJudgement eligible = judge(plan, pairs);
  EXPECT_EQ(eligible.action, AbAction::kMorePairs);
  EXPECT_EQ(eligible.next_stage, "confirmation");
  EXPECT_EQ(eligible.next_pairs, 8);
  EXPECT_TRUE(eligible.looked);
  const AbJudgement landed = judge(plan, pairs + around("confirmation", kGain, 0.02, 8));
  EXPECT_EQ(landed.action, AbAction::kLand);
  ASSERT_EQ(landed.looks.size(), 2u);
  EXPECT_EQ(landed.looks[0].says, "above the bar");
  EXPECT_NEAR(landed.looks[0].estimate, 0.1, 1e-9);
  EXPECT_EQ(landed.looks[1].stage, "confirmation");
  EXPECT_EQ(landed.looks[1].says, "passes");
  EXPECT_TRUE(landed.provisional);
}

TEST(Judge, AConfirmationBelowTheBarEndsUnproven) {
  const AbPlan plan = make_plan(0.05, 16, 0.05);
  const AbJudgement failed =
      judge(plan, around("ab", kGain, 0.01, 8) + around("confirmation", 0.04, 0.01, 8));
  EXPECT_EQ(failed.action, AbAction::kRevert);
  EXPECT_EQ(failed.reason, "unproven");
  EXPECT_EQ(failed.looks.back().says, "fails");
  EXPECT_EQ(failed.sentence.substr(0, 21), "confirmation failed: ");
}

TEST(Judge, AConfirmationTooNoisyToExcludeZeroEndsUnproven) {
  const AbPlan plan = make_plan(0.05, 16, 0.05);
  const AbJudgement failed =
      judge(plan, around("ab", kGain, 0.01, 8) + around("confirmation", kGain, 0.5, 8));
  EXPECT_EQ(failed.reason, "unproven");
  EXPECT_GT(failed.looks.back().estimate, plan.bar);
  EXPECT_LT(failed.looks.back().lower, 0);
}

TEST(Judge, TheSecondOpinionWithholdsALandThatTheTTestWouldGive) {
  const AbPlan plan = make_plan(0.0, 8, 0.0);
  std::vector<LaunchPair> pairs;
  for (const double d : {0.02, -0.04, 0.20, 0.21, 0.03, 0.205, 0.20, 0.195}) {
    pairs.push_back(PairSimulator::exact_pair("ab", d));
  }
  const AbJudgement judged = judge(plan, pairs);
  const LookRow& last = judged.looks.back();
  EXPECT_LE(last.p_land, last.p_boundary);
  EXPECT_NEAR(last.p_signed_rank.value(), 5.0 / 256, 1e-12);
  EXPECT_NEAR(last.p_sign_flip.value(), 4.0 / 256, 1e-12);
  EXPECT_EQ(last.says, "continue");
  EXPECT_EQ(judged.reason, "unproven");
}

TEST(Judge, RevertsWithoutGainAndWhenSlower) {
  const AbPlan plan = make_plan(0.05, 16, 0.05);
  const AbJudgement flat = judge(plan, around("ab", 0.0, 0.01, 8));
  EXPECT_EQ(flat.action, AbAction::kRevert);
  EXPECT_EQ(flat.reason, "no-gain");
  const AbJudgement slower = judge(plan, around("ab", -0.05, 0.01, 8));
  EXPECT_EQ(slower.reason, "slower");
}

TEST(Judge, SwappedLabelsTurnALandIntoSlower) {
  const AbPlan plan = make_plan(0.05, 16, 0.05);
  PairSimulator simulator(7);
  std::vector<LaunchPair> pairs;
  for (int i = 0; i < 16; ++i) pairs.push_back(simulator.pair("ab", kGain, 0.02));
  const AbJudgement there = judge(plan, pairs);
  for (LaunchPair& pair : pairs) pair.labels = "BAABABBA";  // the same slots, arms exchanged
  const AbJudgement back = judge(plan, pairs);
  EXPECT_EQ(there.next_stage, "confirmation");
  EXPECT_EQ(back.reason, "slower");
  EXPECT_EQ(back.looks[0].mean, -there.looks[0].mean);
  EXPECT_EQ(back.looks[0].pair_sd, there.looks[0].pair_sd);
}

TEST(Judge, TheEstimateIgnoresTheUnitAndADriftLinearInTheSlot) {
  const AbPlan plan = make_plan(0.05, 16, 0.05);
  PairSimulator simulator(12);
  std::vector<LaunchPair> pairs;
  for (int i = 0; i < 8; ++i) pairs.push_back(simulator.pair("ab", 0.05, 0.03));
  const LookRow steady = judge(plan, pairs).looks[0];
  double slot = 0;  // over the whole run
  for (LaunchPair& pair : pairs) {
    for (std::int64_t& time : pair.times) {
      time = std::llround(0.125 * static_cast<double>(time) * std::exp(0.002 * slot));
      slot += 1;
    }
  }
  const LookRow drifting = judge(plan, pairs).looks[0];
  EXPECT_NEAR(drifting.mean, steady.mean, 1e-10);
  EXPECT_NEAR(drifting.pair_sd, steady.pair_sd, 1e-10);
}

TEST(Judge, SeparatedIsAGradeAndNoCondition) {
  const AbPlan plan = make_plan(0.05, 16, 0.05);
  const auto apart = around("ab", kGain, 0.01, 8) + around("confirmation", kGain, 0.01, 8);
  EXPECT_TRUE(judge(plan, apart).separated);
  // One pair ran on a slower machine: the LAND stays, the grade goes.
  auto overlapping = apart;
  for (std::int64_t& time : overlapping[2].times) time = time * 12 / 10;
  EXPECT_EQ(judge(plan, overlapping).action, AbAction::kLand);
  EXPECT_FALSE(judge(plan, overlapping).separated);
  // And below the bar the grade alone lands nothing.
  const AbJudgement small = judge(plan, around("ab", 0.02, 0.001, 8));
  EXPECT_EQ(small.reason, "no-gain");
  EXPECT_TRUE(small.separated);
  EXPECT_FALSE(judge(plan, {}).separated);
}

TEST(Judge, LooksReadTheirOwnPrefixWhateverCameLater) {
  const AbPlan plan = make_plan(0.05, 16, 0.05);
  const auto undecided = around("ab", 0.05, 0.02, 8);
  const AbJudgement early = judge(plan, undecided);
  EXPECT_EQ(early.next_pairs, 12);
  const AbJudgement late = judge(plan, undecided + around("ab", 0.05, 0.02, 8));
  EXPECT_EQ(nlohmann::json(late.looks[0]), nlohmann::json(early.looks[0]));
  ASSERT_EQ(late.looks.size(), 3u);
  EXPECT_EQ(late.action, AbAction::kRevert);
  EXPECT_EQ(late.reason, "unproven");
}

TEST(Judge, TheEstimateIgnoresTheOrderOfPairs) {
  const AbPlan plan = make_plan(0.05, 16, 0.05);
  PairSimulator simulator(11);
  std::vector<LaunchPair> pairs;
  for (int i = 0; i < 8; ++i) pairs.push_back(simulator.pair("ab", 0.05, 0.03));
  const LookRow forward = judge(plan, pairs).looks[0];
  std::reverse(pairs.begin(), pairs.end());
  const LookRow backward = judge(plan, pairs).looks[0];
  EXPECT_NEAR(forward.estimate, backward.estimate, 1e-15);
  EXPECT_NEAR(forward.p_land, backward.p_land, 1e-12);
}

TEST(Judge, ALoudHistoryWidensTheInterval) {
  AbPlan plan = make_plan(0.05, 16, 0.05);
  const auto pairs = around("ab", kGain, 0.01, 8);
  EXPECT_EQ(judge(plan, pairs).next_stage, "confirmation");
  plan.aa.assign(6, {"", std::vector<double>(8, 0.04)});
  const AbJudgement wide = judge(plan, pairs);
  EXPECT_EQ(wide.next_stage, "ab");
  EXPECT_EQ(wide.looks[0].df, 6);
  EXPECT_NEAR(wide.looks[0].error, 0.04, 1e-12);
}

TEST(Judge, ANoisyRunMayNotLandOnOneOutlier) {
  // Seven pairs below the bar and one far above: a mean above the bar, and nothing else.
  const AbPlan plan = make_plan(0.05, 8, 0.05);
  std::vector<LaunchPair> pairs = around("ab", 0.03, 0.0001, 7);
  pairs.push_back(PairSimulator::exact_pair("ab", 3.0));
  const AbJudgement judged = judge(plan, pairs);
  EXPECT_NE(judged.next_stage, "confirmation");
  EXPECT_FALSE(judged.looks.back().p_signed_rank);  // the t test did not even ask
}

TEST(Judge, GuardsMustBeShownNotToLose) {
  AbPlan plan = make_plan(0.05, 16, 0.05);
  plan.guards = {{{{"phase", "prefill"}}, {}}};
  const auto primary = around("ab", kGain, 0.01, 8);
  const AbJudgement asks = judge(plan, primary);
  EXPECT_EQ(asks.next_stage, "guard:0");
  EXPECT_EQ(asks.next_pairs, 8);
  EXPECT_EQ(judge(plan, primary + around("guard:0", 0.0, 0.01, 8)).next_stage, "confirmation");
  const AbJudgement loses = judge(plan, primary + around("guard:0", -0.10, 0.01, 8));
  EXPECT_EQ(loses.action, AbAction::kRevert);
  EXPECT_EQ(loses.reason, "guard");
  EXPECT_EQ(loses.sentence, "guard 0 loses more than 5.00 %");
  const AbJudgement unsure = judge(plan, primary + around("guard:0", -0.05, 0.05, 8));
  EXPECT_EQ(unsure.next_stage, "ab");
  EXPECT_EQ(unsure.next_pairs, 12);
  EXPECT_EQ(unsure.looks.back().says, "not shown");
}

TEST(Judge, ALandHoldsWithTheDroppedPairsToo) {
  const AbPlan plan = make_plan(0.05, 16, 0.05);
  std::vector<LaunchPair> pairs = around("ab", kGain, 0.01, 8);
  LaunchPair foreign = PairSimulator::exact_pair("ab", 0.09);
  foreign.dropped = true;
  pairs.insert(pairs.begin() + 3, foreign);
  EXPECT_EQ(judge(plan, pairs).next_stage, "confirmation");
  EXPECT_EQ(judge(plan, pairs).looks[0].dropped, 1);
  pairs[3] = PairSimulator::exact_pair("ab", -1.0);
  pairs[3].dropped = true;
  EXPECT_EQ(judge(plan, pairs).next_stage, "ab");
  EXPECT_EQ(judge(plan, pairs).looks[0].says, "continue");
}

TEST(Judge, GuardsAndConfirmationHoldWithTheDroppedPairsToo) {
  AbPlan plan = make_plan(0.05, 16, 0.05);
  plan.guards = {{{{"phase", "prefill"}}, {}}};
  LaunchPair bad = PairSimulator::exact_pair("guard:0", -1.0);
  bad.dropped = true;
  const auto primary = around("ab", kGain, 0.01, 8);
  auto guard = around("guard:0", 0.0, 0.01, 8);
  guard.insert(guard.begin() + 3, bad);
  const AbJudgement unsure = judge(plan, primary + guard);
  EXPECT_EQ(unsure.looks.back().says, "not shown");
  EXPECT_EQ(unsure.next_stage, "ab");
  plan.guards.clear();
  auto fresh = around("confirmation", kGain, 0.01, 8);
  bad.stage = "confirmation";
  fresh.insert(fresh.begin() + 3, bad);
  EXPECT_EQ(judge(plan, primary + fresh).reason, "unproven");
  fresh[3] = PairSimulator::exact_pair("confirmation", 0.09);
  fresh[3].dropped = true;
  EXPECT_EQ(judge(plan, primary + fresh).action, AbAction::kLand);
}

TEST(Judge, TooManyDroppedPairsAreInvalid) {
  const AbPlan plan = make_plan(0.05, 16, 0.05);
  std::vector<LaunchPair> pairs = around("ab", kGain, 0.01, 11);
  for (int i = 0; i < 3; ++i) pairs[static_cast<std::size_t>(i)].dropped = true;
  const AbJudgement judged = judge(plan, pairs);
  EXPECT_EQ(judged.action, AbAction::kInvalid);
  EXPECT_EQ(judged.sentence, "3 of 11 pairs of stage ab were dropped; at most 25 % may be");
}

TEST(Judge, ANewEnvironmentAfterALookEndsUnproven) {
  const AbPlan plan = make_plan(0.05, 16, 0.05);
  std::vector<LaunchPair> pairs = around("ab", 0.05, 0.02, 9);
  pairs.back().environment = "another";
  const AbJudgement judged = judge(plan, pairs);
  EXPECT_EQ(judged.action, AbAction::kRevert);
  EXPECT_EQ(judged.reason, "unproven");
  EXPECT_EQ(judged.sentence, "the environment changed after a look");
  EXPECT_EQ(judged.looks.size(), 1u);
  EXPECT_EQ(judged.pooled_from, 0u);
  EXPECT_EQ(judged.pooled, 8u);
}

// Pairs of `first` in one environment, then of `then` in another.
std::vector<LaunchPair> moved(const std::vector<LaunchPair>& first, std::vector<LaunchPair> then,
                              const std::string& to = "another") {
  for (LaunchPair& pair : then) pair.environment = to;
  return first + then;
}

TEST(Judge, ANewEnvironmentBeforeALookStartsOver) {
  const AbPlan plan = make_plan(0.05, 16, 0.05);
  const auto pairs = moved(around("ab", 0.085, 0.005, 7), around("ab", kGain, 0.005, 8));
  const AbJudgement judged = judge(plan, pairs);
  EXPECT_EQ(judged.next_stage, "confirmation");
  EXPECT_NEAR(judged.looks[0].estimate, 0.1, 1e-9);
  EXPECT_EQ(judged.pooled_from, 7u);
  EXPECT_EQ(judged.pooled, 8u);
  EXPECT_EQ(judged.set_aside, 7);
}

TEST(Judge, ALookCrossesOnlyWhereItDoesWithThePairsSetAside) {
  const AbPlan plan = make_plan(0.05, 16, 0.05);
  const auto pairs = moved(around("ab", -5.0, 0.01, 7), around("ab", kGain, 0.01, 8));
  const AbJudgement judged = judge(plan, pairs);
  EXPECT_EQ(judged.next_pairs, 12);
  EXPECT_EQ(judged.looks[0].says, "continue");
  EXPECT_NEAR(judged.looks[0].estimate, 0.1, 1e-9) << "they are not pooled";
  AbPlan older = plan;  // frozen before changes were counted
  older.environment_changes.reset();
  EXPECT_EQ(judge(older, pairs).next_stage, "confirmation");
}

TEST(Judge, ASecondNewEnvironmentBeforeALookEndsUnproven) {
  AbPlan plan = make_plan(0.05, 16, 0.05);
  auto pairs = moved(around("ab", 0.0, 0.01, 7), around("ab", 0.0, 0.01, 7));
  EXPECT_EQ(judge(plan, pairs).action, AbAction::kMorePairs);
  pairs = moved(pairs, around("ab", kGain, 0.01, 1), "host");  // the first one again
  const AbJudgement judged = judge(plan, pairs);
  EXPECT_EQ(judged.action, AbAction::kRevert);
  EXPECT_EQ(judged.reason, "unproven");
  EXPECT_EQ(judged.sentence,
            "the environment changed 2 times before the first look; the plan allows 1");
  EXPECT_FALSE(judged.looked);
  EXPECT_EQ(judged.set_aside, 14);
  plan.environment_changes.reset();
  EXPECT_EQ(judge(plan, pairs).action, AbAction::kMorePairs);
  plan.environment_changes = -1;
  EXPECT_THROW(judge(plan, pairs), Error);
}

// A guard that loses half a percent, and what LANDs before it lost.
AbJudgement with_chain(double landed, double error) {
  AbPlan plan = make_plan(0.05, 16, 0.05);
  plan.guards.push_back(
      {{{"describe", "decode"}}, {}, {{"older", "decode on cpu", landed, error}}});
  return judge(plan, around("ab", kGain, 0.01, 8) + around("guard:0", -0.005, 0.001, 8));
}

TEST(Judge, AGuardThatPassesMayStillBreakTheChain) {
  EXPECT_EQ(with_chain(-0.004, 0.001).next_stage, "confirmation");
  const AbJudgement judged = with_chain(-0.008, 0.001);
  EXPECT_EQ(judged.action, AbAction::kRevert);
  EXPECT_EQ(judged.reason, "guard");
  EXPECT_EQ(judged.sentence,
            "guard 0 loses -0.50 %: with the 1 LAND in service it adds up to -1.29 % (at most "
            "-1.12 %), and the limit is -1.00 %");
  EXPECT_EQ(judged.looks.back().says, "passes");
  EXPECT_EQ(with_chain(-0.008, 0.02).next_stage, "confirmation") << "not shown to be a loss";
  EXPECT_EQ(with_chain(0.3, 0.001).next_stage, "confirmation");
}

TEST(Judge, RowsSurviveTheirJson) {
  const AbPlan plan = make_plan(0.05, 16, 0.05);
  const AbJudgement judged = judge(plan, around("ab", kGain, 0.0, 8));  // no spread at all
  const nlohmann::json json = judged;
  const auto rows = nlohmann::json::parse(json.dump())["looks"].get<std::vector<LookRow>>();
  EXPECT_EQ(nlohmann::json(rows), json["looks"]);
  EXPECT_EQ(json["action"], "more pairs");
}

TEST(Judge, RefusesAPlanThatIsNotSound) {
  AbPlan plan = make_plan(0.05, 16, 0.05);
  plan.looks.pop_back();
  EXPECT_THROW(judge(plan, {}), Error);
}

}  // namespace
}  // namespace assay
