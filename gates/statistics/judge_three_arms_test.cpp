// Judgements with the baseline in two processes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/core/error.h"
#include "gates/statistics/exact_tests.h"
#include "gates/statistics/judge.h"
#include "gates/statistics/simulated_pairs.h"

namespace assay {
namespace {

constexpr double kGain = 0.0953101798;  // ln 1.1

AbPlan three_arms(double bar, int pairs_max) {
  return make_plan(bar, pairs_max, bar, 3);
}

// n pairs: B is `gain` faster, A' is `twin` slower than A.
std::vector<LaunchPair> triples(const std::string& stage, double gain, double twin, int n,
                                std::uint64_t seed = 5) {
  PairSimulator simulator(seed);
  std::vector<LaunchPair> pairs;
  for (int i = 0; i < n; ++i) {
    const double a = 0.005 * simulator.normal();
    const double b = 0.005 * simulator.normal() - gain;
    pairs.push_back(PairSimulator::exact_triple(stage, a, b, 0.005 * simulator.normal() + twin));
  }
  return pairs;
}

std::vector<LaunchPair> operator+(std::vector<LaunchPair> left,
                                  const std::vector<LaunchPair>& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

TEST(JudgeThreeArms, LandsByTheRelabellingTest) {
  const AbPlan plan = three_arms(0.05, 16);
  const auto pairs = triples("ab", kGain, 0, 8);
  const AbJudgement eligible = judge(plan, pairs);
  EXPECT_EQ(eligible.next_stage, "confirmation");
  EXPECT_FALSE(eligible.twins) << "asked before the end";
  const LookRow& row = eligible.looks[0];
  EXPECT_NEAR(row.p_relabelled.value(), 1.0 / 6561, 1e-12);
  EXPECT_FALSE(row.p_sign_flip);
  EXPECT_NEAR(row.estimate, 0.1, 0.005);
  const AbJudgement landed = judge(plan, pairs + triples("confirmation", kGain, 0, 8, 6));
  EXPECT_EQ(landed.action, AbAction::kLand);
  EXPECT_EQ(landed.twins.value().pairs, 16);
  EXPECT_GE(landed.twins->p, kTwinAlpha);
}

TEST(JudgeThreeArms, TheSecondOpinionWithholdsALand) {
  // The t test crosses; but in half of the pairs A is as far from A' as B is.
  const AbPlan plan = three_arms(0, 8);
  std::vector<LaunchPair> pairs;
  for (int i = 0; i < 8; ++i) {
    const double slow = i % 2 == 0 ? 0.011 : 0.010;
    pairs.push_back(i < 4 ? PairSimulator::exact_triple("ab", slow, 0, 0)
                          : PairSimulator::exact_triple("ab", 0, 0, slow));
  }
  const AbJudgement judged = judge(plan, pairs);
  const LookRow& last = judged.looks.back();
  EXPECT_LE(last.p_land, last.p_boundary);
  EXPECT_NEAR(last.p_relabelled.value(), std::pow(2.0 / 3, 8), 0.03);
  EXPECT_EQ(last.says, "continue");
  EXPECT_EQ(judged.reason, "unproven");
}

TEST(JudgeThreeArms, TheSecondOpinionIsAskedAgainstTheBar) {
  const AbPlan plan = three_arms(0.05, 32);
  const auto pairs = triples("ab", 0.065, 0, 16);
  std::vector<Relabelled> rows;
  for (const LaunchPair& pair : pairs) {
    const PairMeasure measure = measure_pair(pair.labels, pair.times);
    rows.push_back(relabelled(measure.mean_a, measure.mean_b + std::log(1.05), measure.mean_c));
  }
  const LookRow row = judge(plan, pairs).looks[0];
  ASSERT_TRUE(row.p_relabelled) << nlohmann::json(row);
  const double p = *row.p_relabelled;
  EXPECT_NEAR(p / relabelling_p(rows), 1, 1e-9);
  EXPECT_GT(p, 5 * std::pow(3, -16));  // against 0 it would be the least
}

TEST(JudgeThreeArms, OneInThreeToTheNIsTheLeastThatIsAsked) {
  // In two of eight pairs B and A tie: four relabellings of 6,561 do as well. The look asks
  // 0.00041, which signs of eight pairs could never give.
  const AbPlan plan = three_arms(0, 16);
  std::vector<LaunchPair> pairs(6, PairSimulator::exact_triple("ab", 0.02, 0, 0.02));
  for (int i = 0; i < 2; ++i) pairs.push_back(PairSimulator::exact_triple("ab", 0, 0, 0.03));
  const LookRow row = judge(plan, pairs).looks[0];
  EXPECT_LE(row.p_land, row.p_boundary);
  EXPECT_NEAR(row.p_relabelled.value(), 4.0 / 6561, 1e-12);
  EXPECT_EQ(row.says, "continue");
}

TEST(JudgeThreeArms, TwoBaselinesThatDifferAreInvalid) {
  const AbPlan plan = three_arms(0.05, 16);
  const auto pairs = triples("ab", kGain, 0.03, 8) + triples("confirmation", kGain, 0.03, 8, 6);
  const AbJudgement judged = judge(plan, pairs);
  EXPECT_EQ(judged.action, AbAction::kInvalid);
  EXPECT_LT(judged.twins.value().p, kTwinAlpha);
  EXPECT_EQ(judged.sentence.substr(0, 35), "the baseline differs from itself: -");
  EXPECT_TRUE(judged.looked);
  EXPECT_EQ(judged.looks.back().says, "passes");  // it would have landed
}

TEST(JudgeThreeArms, ARevertIsInvalidToo) {
  const AbPlan plan = three_arms(0.05, 16);
  EXPECT_EQ(judge(plan, triples("ab", 0, 0, 8)).reason, "no-gain");
  EXPECT_EQ(judge(plan, triples("ab", 0, 0.03, 8)).action, AbAction::kInvalid);
}

TEST(JudgeThreeArms, ALoudHistoryExcusesTheBaselines) {
  AbPlan plan = three_arms(0.05, 16);
  plan.aa.assign(6, {"", std::vector<double>(8, 0.02)});
  const AbJudgement judged = judge(plan, triples("ab", -0.10, 0.03, 8));
  EXPECT_EQ(judged.reason, "no-gain");
  EXPECT_EQ(judged.twins.value().df, 6);
}

TEST(JudgeThreeArms, ExchangingTheBaselinesChangesNothing) {
  const AbPlan plan = three_arms(0.05, 16);
  auto pairs = triples("ab", 0.06, 0, 16);
  const AbJudgement there = judge(plan, pairs);
  for (LaunchPair& pair : pairs) {
    for (char& label : pair.labels) label = label == 'A' ? 'C' : label == 'C' ? 'A' : 'B';
  }
  const AbJudgement back = judge(plan, pairs);
  EXPECT_EQ(nlohmann::json(back.looks), nlohmann::json(there.looks));
  const auto contrasts = twin_contrasts(pairs);
  EXPECT_EQ(contrasts.size(), 16u);
}

TEST(JudgeThreeArms, TheEstimateIgnoresTheOrderOfPairsAndTheUnit) {
  const AbPlan plan = three_arms(0.05, 16);
  auto pairs = triples("ab", 0.06, 0, 8);
  const LookRow forward = judge(plan, pairs).looks[0];
  std::reverse(pairs.begin(), pairs.end());
  for (LaunchPair& pair : pairs) {
    for (std::int64_t& time : pair.times) time *= 3;
  }
  const LookRow backward = judge(plan, pairs).looks[0];
  EXPECT_NEAR(forward.estimate, backward.estimate, 1e-13);
  EXPECT_NEAR(forward.error, backward.error, 1e-13);
}

TEST(JudgeThreeArms, TheContrastIsAsUncertainAsD) {
  PairSimulator simulator(3);
  std::vector<LaunchPair> pairs;
  for (int i = 0; i < 4000; ++i) pairs.push_back(simulator.triple("ab", 0, 0.01));
  const auto contrasts = twin_contrasts(pairs);
  double square_d = 0;
  double square_contrast = 0;
  double product = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const double d = pair_value(pairs[i].labels, pairs[i].times);
    square_d += d * d / 4000;
    square_contrast += contrasts[i] * contrasts[i] / 4000;
    product += d * contrasts[i] / 4000;
  }
  EXPECT_NEAR(square_d / 1.5e-4, 1, 0.08);
  EXPECT_NEAR(square_contrast / square_d, 1, 0.1);
  EXPECT_NEAR(product / square_d, 0, 0.06);
}

TEST(JudgeThreeArms, RefusesPairsOfAnotherDesign) {
  const AbPlan plan = three_arms(0.05, 16);
  const std::vector<LaunchPair> pairs(8, PairSimulator::exact_pair("ab", 0.1));
  try {
    judge(plan, pairs);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "launch pair: 2 arms of stage ab where the plan has 3");
  }
}

TEST(JudgeThreeArms, RowsSurviveTheirJson) {
  const AbJudgement judged = judge(three_arms(0.05, 16), triples("ab", 0, 0, 8));
  const nlohmann::json json = judged;
  EXPECT_EQ(nlohmann::json(json["looks"].get<std::vector<LookRow>>()), json["looks"]);
  EXPECT_EQ(json["twins"]["pairs"], 8);
}

TEST(JudgeThreeArms, AtTheBarTheyLandNoMoreThanTwo) {
  constexpr int kExperiments = 4000;
  PairSimulator simulator(6);
  const AbPlan plan = make_plan(0.003, 12, 0, 3);
  int crossed = 0;
  for (int i = 0; i < kExperiments; ++i) {
    std::vector<LaunchPair> pairs;
    for (int pair = 0; pair < 12; ++pair) {
      pairs.push_back(simulator.triple("ab", std::log1p(0.003), 0.0017));
    }
    if (judge(plan, pairs).next_stage == "confirmation") ++crossed;
  }
  const double rate = static_cast<double>(crossed) / kExperiments;
  EXPECT_LE(rate, 0.019);
  EXPECT_GE(rate, 0.004);
}

}  // namespace
}  // namespace assay
