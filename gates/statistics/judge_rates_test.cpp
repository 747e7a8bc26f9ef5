// How often the procedure lands what it should and should not, by simulation with fixed seeds.
//
// "False LAND" is tested at a true effect equal to the bar, before any confirmation. Mutants of the
// procedure must exceed the limit that the procedure keeps, or these tests could not see a fault.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "gates/statistics/judge.h"
#include "gates/statistics/pair_value.h"
#include "gates/statistics/simulated_pairs.h"
#include "gates/statistics/student_t.h"

namespace assay {
namespace {

constexpr double kLimit = 0.019;  // 0.0125 per attempt, and what simulation needs
constexpr int kExperiments = 4000;

struct Rates {
  double eligible = 0;  // crossed above the bar, before confirmation
  double landed = 0, no_gain = 0, slower = 0, unproven = 0;
};

// Whole experiments: pairs are drawn as the judgement asks for them.
Rates simulate(double bar, double effect, double pair_sd, int pairs_max, int aa_runs,
               int experiments, std::uint64_t seed) {
  PairSimulator simulator(seed);
  Rates rates;
  const double share = 1.0 / experiments;
  for (int i = 0; i < experiments; ++i) {
    AbPlan plan = make_plan(bar, pairs_max, bar);
    plan.aa = simulator.history(aa_runs, 8, pair_sd);
    std::vector<LaunchPair> pairs;
    AbJudgement judged = judge(plan, pairs);
    while (judged.action == AbAction::kMorePairs) {
      int held = 0;
      for (const LaunchPair& pair : pairs) held += pair.stage == judged.next_stage ? 1 : 0;
      for (; held < judged.next_pairs; ++held) {
        pairs.push_back(simulator.pair(judged.next_stage, std::log1p(effect), pair_sd));
      }
      judged = judge(plan, pairs);
    }
    if (pairs.back().stage == "confirmation") rates.eligible += share;
    if (judged.action == AbAction::kLand) rates.landed += share;
    if (judged.reason == "no-gain") rates.no_gain += share;
    if (judged.reason == "slower") rates.slower += share;
    if (judged.reason == "unproven") rates.unproven += share;
  }
  std::printf(
      "effect %+.3f, sd %.4f, n_max %d, %d A/A runs: eligible %.4f landed %.4f no-gain %.4f "
      "slower %.4f unproven %.4f\n",
      effect, pair_sd, pairs_max, aa_runs, rates.eligible, rates.landed, rates.no_gain,
      rates.slower, rates.unproven);
  return rates;
}

// The looks alone, with the tail and the boundaries as parameters: the place for mutants.
using Tail = double (*)(double t, double df);
double normal_tail(double t, double) {
  return 0.5 * std::erfc(t / std::sqrt(2.0));
}

double crossing_rate(Tail tail, const std::vector<double>& boundaries, int pairs_max) {
  PairSimulator simulator(20261129);
  int crossed = 0;
  for (int i = 0; i < kExperiments; ++i) {
    std::vector<double> beyond;  // D - ln(1 + bar), true mean 0
    for (int pair = 0; pair < pairs_max; ++pair) beyond.push_back(0.01 * simulator.normal());
    for (std::size_t look = 0; look < 3; ++look) {
      const std::size_t n = static_cast<std::size_t>(pairs_max) / 4 * (look + 2);
      const MeanEstimate mean = estimate_mean(std::span(beyond).first(n), {});
      if (tail(mean.mean / mean.error, mean.df) > boundaries[look]) continue;
      ++crossed;
      break;
    }
  }
  const double rate = static_cast<double>(crossed) / kExperiments;
  std::printf("looks alone: %.4f cross\n", rate);
  return rate;
}

const std::vector<double> kBoundaries = {0.00041, 0.0038, 0.0113};

TEST(JudgeRates, FalseLandAtTheBarStaysBelowTheLimit) {
  for (const int pairs_max : {8, 12, 16}) {
    const Rates rates = simulate(0.003, 0.003, 0.0021, pairs_max, 0, kExperiments, 1);
    EXPECT_LE(rates.eligible, kLimit) << pairs_max;
    EXPECT_LE(rates.landed, rates.eligible) << pairs_max;
  }
}

TEST(JudgeRates, TheLooksAloneSpendWhatTheyMay) {
  const double rate = crossing_rate(t_upper_tail, kBoundaries, 12);
  EXPECT_LE(rate, kLimit);
  EXPECT_GE(rate, 0.006);  // and are not merely shut
}

TEST(JudgeRates, MutantsOfTheProcedureExceedTheLimit) {
  EXPECT_GT(crossing_rate(normal_tail, kBoundaries, 12), kLimit) << "z for t";
  EXPECT_GT(crossing_rate(t_upper_tail, {0.0125, 0.0125, 0.0125}, 12), kLimit) << "no spending";
  EXPECT_GT(crossing_rate(t_upper_tail, {0.00082, 0.0076, 0.0226}, 12), kLimit) << "alpha 0.025";
}

TEST(JudgeRates, ATenPercentGainLandsOnTwoNoisyCores) {
  const Rates rates = simulate(0.05, 0.10, 0.02, 16, 6, 2000, 2);
  EXPECT_GE(rates.landed, 0.98);
}

TEST(JudgeRates, NoEffectIsNoGainOnTwoNoisyCores) {
  const Rates rates = simulate(0.05, 0.0, 0.02, 16, 6, 2000, 3);
  EXPECT_GE(rates.no_gain + rates.slower, 0.98);
  EXPECT_GE(rates.no_gain, 0.97);
  EXPECT_EQ(rates.landed, 0);
}

TEST(JudgeRates, ALossIsCalledSlower) {
  const Rates rates = simulate(0.05, -0.10, 0.02, 16, 6, 500, 4);
  EXPECT_GE(rates.slower, 0.98);
}

}  // namespace
}  // namespace assay
