#include "gates/statistics/simulation/rates.h"

#include "gates/statistics/simulation/tally.h"

namespace assay::simulation {

std::vector<Figure> rates_of(
    const CellSeed& seed, int kinds,
    const std::function<void(Random& random, std::vector<std::int64_t>& counts)>& one) {
  const Tally counts = tally(seed.experiments, kinds, [&](std::int64_t index, Tally& sums) {
    Random random(seed.section, seed.cell, index);
    one(random, sums);
  });
  std::vector<Figure> figures;
  for (const std::int64_t count : counts) {
    figures.push_back({static_cast<double>(count) / seed.experiments, seed.experiments});
  }
  return figures;
}

AbRates ab_rates(const Setting& setting, const AbPlan& plan, const CellSeed& seed) {
  const auto rates = rates_of(seed, 5, [&](Random& random, Tally& counts) {
    const Outcome outcome = play(setting, plan, random);
    counts[0] += outcome.eligible ? 1 : 0;
    counts[1] += outcome.landed ? 1 : 0;
    counts[2] += outcome.reason == "no-gain" ? 1 : 0;
    counts[3] += outcome.reason == "slower" ? 1 : 0;
    counts[4] += outcome.t_crossed ? 1 : 0;
  });
  return {rates[0], rates[1], rates[2], rates[3], rates[4]};
}

Figure rate_of(const CellSeed& seed, const std::function<bool(Random& random)>& happens) {
  return rates_of(seed, 1,
                  [&](Random& random, Tally& counts) { counts[0] += happens(random) ? 1 : 0; })[0];
}

std::vector<Scenario> chosen_scenarios(const SuiteOptions& options) {
  if (!options.scenario.empty()) return {scenario_named(options.scenario)};
  return scenarios();
}

}  // namespace assay::simulation
