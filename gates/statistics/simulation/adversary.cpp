#include "gates/statistics/simulation/adversary.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "gates/statistics/pair_value.h"
#include "gates/statistics/simulation/experiment.h"
#include "gates/statistics/simulation/run_simulator.h"

namespace assay::simulation {
namespace {

constexpr int kRuns = 5;  // runs that the patient ones start at most
// Standard errors above the bar from which who may start over goes on instead.
constexpr double kPromising = 1.5;

double value_of(const LaunchPair& pair) {
  return pair_value(pair.labels, pair.times);
}

double gain_at_bar(const AbPlan& plan) {
  return std::log1p(plan.bar);
}

RunSimulator start(const Scenario& scenario, const AbPlan& plan, Random& random) {
  return RunSimulator(scenario, plan.pairs_max * kPairSegments, Direction::kCoin, random);
}

bool once(const Scenario& scenario, const AbPlan& plan, Random& random) {
  RunSimulator run = start(scenario, plan, random);
  std::vector<LaunchPair> pairs;
  for (int i = 0; i < plan.pairs_max; ++i) pairs.push_back(run.pair("ab", gain_at_bar(plan)));
  return is_eligible(judge(plan, pairs));
}

// Asks for a verdict after every pair and takes the first LAND it is offered.
bool peeking(const Scenario& scenario, const AbPlan& plan, Random& random) {
  RunSimulator run = start(scenario, plan, random);
  std::vector<LaunchPair> pairs;
  for (int i = 0; i < plan.pairs_max; ++i) {
    pairs.push_back(run.pair("ab", gain_at_bar(plan)));
    if (is_eligible(judge(plan, pairs))) return true;
  }
  return false;
}

// Kills a run whose pairs so far, from the third on, look worse than the bar, and starts another:
// a new machine state, but its pairs follow the old ones. Peeks as well.
bool killing(const Scenario& scenario, const AbPlan& plan, Random& random) {
  std::optional<RunSimulator> run;
  std::vector<LaunchPair> pairs;
  double sum = 0;
  int of_run = 0;
  int kills = 0;
  while (static_cast<int>(pairs.size()) < plan.pairs_max) {
    if (!run) run.emplace(start(scenario, plan, random));
    pairs.push_back(run->pair("ab", gain_at_bar(plan)));
    if (is_eligible(judge(plan, pairs))) return true;
    sum += value_of(pairs.back()) - gain_at_bar(plan);
    if (++of_run < 3 || sum >= 0 || kills == kRuns - 1) continue;
    ++kills;
    run.reset();
    sum = 0;
    of_run = 0;
  }
  return false;
}

bool two_attempts(const Scenario& scenario, const AbPlan& plan, Random& random) {
  return once(scenario, plan, random) || once(scenario, plan, random);
}

// Throws away every run that did not land.
bool discarding(const Scenario& scenario, const AbPlan& plan, Random& random) {
  for (int run = 0; run < kRuns; ++run) {
    if (once(scenario, plan, random)) return true;
  }
  return false;
}

// Tests at the whole attempt's alpha after every pair.
bool unspent(const Scenario& scenario, const AbPlan& plan, Random& random) {
  AbPlan greedy = plan;
  greedy.looks.clear();
  for (int pairs = 3; pairs <= plan.pairs_max; ++pairs) greedy.looks.push_back({pairs, 0.0125});
  return once(scenario, greedy, random);
}

// Changes the environment just before the first look while the pairs so far do not look promising,
// at most `moves` times: judge() sets them aside.
bool moving(const Scenario& scenario, const AbPlan& plan, Random& random, int moves) {
  const int before_look = plan.looks.front().pairs - 1;
  std::vector<LaunchPair> pairs;
  for (int move = 0; move <= moves; ++move) {
    RunSimulator run = start(scenario, plan, random);
    const std::string environment = fmt::format("host {}", move);
    std::vector<double> beyond;
    const auto one = [&] {
      pairs.push_back(run.pair("ab", gain_at_bar(plan)));
      pairs.back().environment = environment;
      beyond.push_back(value_of(pairs.back()) - gain_at_bar(plan));
    };
    for (int i = 0; i < before_look; ++i) one();
    const MeanEstimate seen = estimate_mean(beyond, {});
    if (move < moves && seen.mean < kPromising * seen.error) continue;
    for (int i = before_look; i < plan.pairs_max; ++i) one();
    break;
  }
  return is_eligible(judge(plan, pairs));
}

bool moving_once(const Scenario& scenario, const AbPlan& plan, Random& random) {
  return moving(scenario, plan, random, 1);
}

// Goes on changing it although the plan allows it once.
bool moving_on(const Scenario& scenario, const AbPlan& plan, Random& random) {
  return moving(scenario, plan, random, kRuns - 1);
}

// The same where nothing counts the changes.
bool moving_freely(const Scenario& scenario, const AbPlan& plan, Random& random) {
  AbPlan free = plan;
  free.environment_changes.reset();
  return moving(scenario, free, random, kRuns - 1);
}

}  // namespace

const std::vector<Adversary>& adversaries() {
  static const std::vector<Adversary> list = {
      {"none: one run", AdversaryKind::kWithin, 1, once},
      {"peeks after every pair", AdversaryKind::kWithin, 1, peeking},
      {"kills and runs again, up to 5 runs", AdversaryKind::kWithin, 1, killing},
      {"uses both attempts", AdversaryKind::kWithin, 2, two_attempts},
      {"breaks rule 4: discards 4 runs", AdversaryKind::kBreaker, 1, discarding},
      {"breaks spending: 0.0125 after every pair", AdversaryKind::kBreaker, 1, unspent},
      {"changes the environment once before the first look", AdversaryKind::kWithin, 1,
       moving_once},
      {"changes it up to 4 times", AdversaryKind::kWithin, 1, moving_on},
      {"breaks rule 4: changes it up to 4 times, uncounted", AdversaryKind::kBreaker, 1,
       moving_freely},
  };
  return list;
}

}  // namespace assay::simulation
