// The rules of other tools beside ours: on the samples of interleaved pairs, and on launches that
// ran one arm after the other, which is how those tools are commonly fed.
#include <fmt/format.h>

#include <cmath>

#include "gates/statistics/pair_value.h"
#include "gates/statistics/simulation/other_rules.h"
#include "gates/statistics/simulation/rates.h"
#include "gates/statistics/simulation/run_simulator.h"
#include "gates/statistics/simulation/seeds.h"
#include "gates/statistics/simulation/suite.h"
#include "gates/statistics/simulation/tally.h"

namespace assay::simulation {
namespace {

constexpr int kPairsMax = 16;
constexpr int kLaunchSegments = 4;

std::vector<std::string> rule_names() {
  std::vector<std::string> names;
  for (const OtherRule& rule : other_rules()) names.emplace_back(rule.name);
  return names;
}

void count_rules(const LaunchMeans& launches, Tally& counts) {
  std::size_t at = 0;
  for (const OtherRule& rule : other_rules()) counts[at++] += rule.lands(launches) ? 1 : 0;
}

// One run judged by everyone; the last two counts are ours, before and after confirmation.
void one_run(const Scenario& scenario, const AbPlan& plan, double gain, Random& random,
             Tally& counts) {
  RunSimulator run(scenario, plan.pairs_max * kPairSegments, Direction::kCoin, random);
  std::vector<LaunchPair> pairs;
  for (int i = 0; i < plan.pairs_max; ++i) pairs.push_back(run.pair("ab", gain));
  count_rules(launch_means(pairs), counts);
  AbJudgement judged = judge(plan, pairs);
  if (!is_eligible(judged)) return;
  ++counts[counts.size() - 2];
  for (int i = 0; i < judged.next_pairs; ++i) pairs.push_back(run.pair("confirmation", gain));
  if (judge(plan, pairs).action == AbAction::kLand) ++counts.back();
}

Table interleaved(const SuiteOptions& options, double effect) {
  const bool misses = effect > 0;
  Table table{misses ? fmt::format("Rules: misses of a lever worth {} % (bar 0)", 100 * effect)
                     : std::string("Rules: false LAND of a lever worth nothing (bar 0)"),
              misses ? "Share that is not landed. Samples of 16 interleaved pairs."
                     : "Share that is landed. Samples of 16 interleaved pairs.",
              "scenario",
              rule_names(),
              {}};
  table.columns.emplace_back("ours, looks");
  table.columns.emplace_back("ours, confirmed");
  const AbPlan plan = make_plan(0, kPairsMax, 0);
  for (const Scenario& scenario : chosen_scenarios(options)) {
    Row row{std::string(scenario.name), {}};
    const CellSeed seed{kRulesSeed, std::string(scenario.name), options.experiments};
    auto rates =
        rates_of(seed, static_cast<int>(table.columns.size()), [&](Random& random, Tally& counts) {
          one_run(scenario, plan, std::log1p(effect), random, counts);
        });
    for (Figure& rate : rates) {
      if (misses) rate.rate = 1 - rate.rate;
      row.figures.push_back(rate);
    }
    table.rows.push_back(row);
  }
  return table;
}

double launch_mean(RunSimulator& run) {
  const double process = run.launch();
  run.begin_pair();
  double sum = 0;
  for (int slot = 0; slot < kLaunchSegments; ++slot) sum += std::exp(run.segment() + process);
  return sum / kLaunchSegments;
}

Table in_sequence(const SuiteOptions& options) {
  Table table{"Rules: false LAND when the old version runs first and the new one after it (bar 0)",
              "Share of levers worth nothing that is landed; 16 launches of one, then 16 of the "
              "other, drift and ramps in either direction.",
              "scenario",
              rule_names(),
              {}};
  for (const Scenario& scenario : chosen_scenarios(options)) {
    const CellSeed seed{kRulesSeed, fmt::format("{}/in sequence", scenario.name),
                        options.experiments};
    const auto rates =
        rates_of(seed, static_cast<int>(table.columns.size()), [&](Random& random, Tally& counts) {
          RunSimulator run(scenario, kPairsMax * kPairSegments, Direction::kCoin, random);
          LaunchMeans launches;
          for (int i = 0; i < kPairsMax; ++i) launches.a.push_back(launch_mean(run));
          for (int i = 0; i < kPairsMax; ++i) launches.b.push_back(launch_mean(run));
          count_rules(launches, counts);
        });
    Row row{std::string(scenario.name), {}};
    for (const Figure& rate : rates) row.figures.emplace_back(rate);
    table.rows.push_back(row);
  }
  return table;
}

}  // namespace

std::vector<Table> rules_sections(const SuiteOptions& options) {
  return {interleaved(options, 0), interleaved(options, 0.005), interleaved(options, 0.02),
          in_sequence(options)};
}

}  // namespace assay::simulation
