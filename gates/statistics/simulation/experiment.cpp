#include "gates/statistics/simulation/experiment.h"

#include <cmath>

#include "gates/statistics/pair_value.h"
#include "gates/statistics/simulation/run_simulator.h"
#include "gates/statistics/simulation/seeds.h"

namespace assay::simulation {
namespace {

constexpr int kPilotRuns = 400;

}  // namespace

bool is_eligible(const AbJudgement& judged) {
  return judged.action == AbAction::kMorePairs && judged.next_stage == "confirmation";
}

std::vector<AaRun> simulate_history(const Setting& setting, int pairs, Random& random) {
  std::vector<AaRun> history(static_cast<std::size_t>(setting.aa_runs));
  for (AaRun& run : history) {
    RunSimulator simulator(setting.scenario, pairs * kPairSegments, Direction::kCoin, random);
    const double offset = setting.offset_sd > 0 ? setting.offset_sd * random.normal() : 0;
    for (int i = 0; i < pairs; ++i) {
      const LaunchPair pair = simulator.pair("ab", offset);
      run.pair_values.push_back(pair_value(pair.labels, pair.times));
    }
  }
  return history;
}

// All pairs of the A/B are drawn at once: a look reads the first that it needs. The confirmation
// follows them on the machine's clock also where an early look crossed, which only moves it along
// the drift.
Outcome play(const Setting& setting, AbPlan plan, Random& random) {
  plan.aa =
      simulate_history(setting, setting.aa_pairs > 0 ? setting.aa_pairs : plan.pairs_max, random);
  const double gain = std::log1p(setting.effect) +
                      (setting.offset_sd > 0 ? setting.offset_sd * random.normal() : 0);
  RunSimulator run(setting.scenario, plan.pairs_max * kPairSegments, Direction::kCoin, random);
  std::vector<LaunchPair> pairs;
  for (int i = 0; i < plan.pairs_max; ++i) pairs.push_back(run.pair("ab", gain));
  AbJudgement judged = judge(plan, pairs);
  Outcome outcome;
  outcome.eligible = is_eligible(judged);
  if (outcome.eligible) {
    for (int i = 0; i < judged.next_pairs; ++i) pairs.push_back(run.pair("confirmation", gain));
    judged = judge(plan, pairs);
  }
  for (const LookRow& row : judged.looks) {
    outcome.t_crossed = outcome.t_crossed || (row.stage == "ab" && row.p_land <= row.p_boundary);
  }
  outcome.landed = judged.action == AbAction::kLand;
  outcome.reason = judged.reason;
  return outcome;
}

double pair_sd_of(const Scenario& scenario, int pairs) {
  double squares = 0;
  for (int run = 0; run < kPilotRuns; ++run) {
    Random random(kPilotSeed, scenario.name, run);
    RunSimulator simulator(scenario, pairs * kPairSegments, Direction::kCoin, random);
    for (int i = 0; i < pairs; ++i) {
      const LaunchPair pair = simulator.pair("ab", 0);
      const double d = pair_value(pair.labels, pair.times);
      squares += d * d;
    }
  }
  return std::sqrt(squares / (kPilotRuns * pairs));
}

}  // namespace assay::simulation
