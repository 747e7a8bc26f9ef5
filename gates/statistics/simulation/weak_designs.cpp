// Drift and ramps fall here (what runs later is faster): their other direction would hide the same
// fault behind false losses. A design that does not end in a comparison of its own hands its values
// to judge() as if they were pair values.
#include "gates/statistics/simulation/weak_designs.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "gates/statistics/judge.h"
#include "gates/statistics/pair_value.h"
#include "gates/statistics/simulated_pairs.h"
#include "gates/statistics/simulation/experiment.h"
#include "gates/statistics/simulation/run_simulator.h"

namespace assay::simulation {
namespace {

constexpr int kLaunchSegments = 4;

bool judged(const std::vector<double>& values) {
  std::vector<LaunchPair> pairs;
  for (const double value : values) pairs.push_back(PairSimulator::exact_pair("ab", value));
  return is_eligible(judge(make_plan(0, static_cast<int>(values.size()), 0), pairs));
}

// Mean of the A segments minus mean of the B segments, in the order of `labels`.
double difference(RunSimulator& run, std::string_view labels, double a, double b) {
  double sum = 0;
  for (const char arm : labels) sum += arm == 'A' ? run.segment() + a : -(run.segment() + b);
  return sum / (static_cast<double>(labels.size()) / 2);
}

// Every launch of A, then every launch of B; the i-th of each are compared.
bool sequential(const Scenario& scenario, int values, Random& random) {
  RunSimulator run(scenario, values * kPairSegments, Direction::kFalling, random);
  std::vector<double> means[2];
  for (std::vector<double>& arm : means) {
    for (int i = 0; i < values; ++i) {
      const double process = run.launch();
      double sum = 0;
      run.begin_pair();
      for (int slot = 0; slot < kLaunchSegments; ++slot) sum += run.segment() + process;
      arm.push_back(sum / kLaunchSegments);
    }
  }
  std::vector<double> differences;
  for (int i = 0; i < values; ++i) {
    const auto at = static_cast<std::size_t>(i);
    differences.push_back(means[0][at] - means[1][at]);
  }
  return judged(differences);
}

// Pairs of living processes that take turns, A always first.
bool fixed_order(const Scenario& scenario, int values, Random& random) {
  RunSimulator run(scenario, values * kPairSegments, Direction::kFalling, random);
  std::vector<double> differences;
  for (int i = 0; i < values; ++i) {
    const double a = run.launch();
    const double b = run.launch();
    run.begin_pair();
    differences.push_back(difference(run, "ABABABAB", a, b));
  }
  return judged(differences);
}

// The right pairs, but each arm is reduced to its fastest segment, and the faster arm wins.
bool arm_minimum(const Scenario& scenario, int values, Random& random) {
  RunSimulator run(scenario, values * kPairSegments, Direction::kFalling, random);
  std::int64_t best[2] = {std::numeric_limits<std::int64_t>::max(),
                          std::numeric_limits<std::int64_t>::max()};
  for (int i = 0; i < values; ++i) {
    const LaunchPair pair = run.pair("ab", 0);
    for (std::size_t slot = 0; slot < pair.times.size(); ++slot) {
      std::int64_t& of_arm = best[pair.labels[slot] == 'A' ? 0 : 1];
      of_arm = std::min(of_arm, pair.times[slot]);
    }
  }
  return best[1] < best[0];
}

// One process per arm for the whole run; every block A B B A is a value.
bool single_launch(const Scenario& scenario, int values, Random& random) {
  RunSimulator run(scenario, values * kLaunchSegments, Direction::kFalling, random);
  const double a = run.launch();
  const double b = run.launch();
  std::vector<double> differences;
  for (int i = 0; i < values; ++i) {
    run.begin_pair();
    differences.push_back(difference(run, "ABBA", a, b));
  }
  return judged(differences);
}

// Four launch pairs whose blocks, by coin, are counted as if each had its own processes.
bool blocks_as_replicates(const Scenario& scenario, int values, Random& random) {
  constexpr int kLaunchPairs = 4;
  RunSimulator run(scenario, values * kLaunchSegments, Direction::kFalling, random);
  std::vector<double> differences;
  for (int launch = 0; launch < kLaunchPairs; ++launch) {
    const double a = run.launch();
    const double b = run.launch();
    run.begin_pair();
    for (int block = 0; block < values / kLaunchPairs; ++block) {
      differences.push_back(difference(run, random.coin() ? "ABBA" : "BAAB", a, b));
    }
  }
  return judged(differences);
}

}  // namespace

const std::vector<WeakDesign>& weak_designs() {
  static const std::vector<WeakDesign> list = {
      {"sequential order", {"drift", "ramp", "AR(1)"}, sequential},
      {"fixed AB", {"drift", "pair ramp", "slot"}, fixed_order},
      {"per-arm minimum", {""}, arm_minimum},
      {"single launch, ABBA without coin", {"bimodal", "slot"}, single_launch},
      {"blocks as replicates over 4 launches", {"bimodal"}, blocks_as_replicates},
  };
  return list;
}

}  // namespace assay::simulation
