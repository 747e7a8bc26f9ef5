// Rates over the experiments of one cell of a table.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gates/statistics/simulation/experiment.h"
#include "gates/statistics/simulation/random.h"
#include "gates/statistics/simulation/suite.h"
#include "gates/statistics/simulation/table.h"

namespace assay::simulation {

// Which random numbers a cell takes, and how many experiments.
struct CellSeed {
  std::uint64_t section = 0;
  std::string cell;
  int experiments = 0;
};

struct AbRates {
  Figure eligible, landed, no_gain, slower, t_crossed;
};
AbRates ab_rates(const Setting& setting, const AbPlan& plan, const CellSeed& seed);

// Share of experiments for which `happens` is true.
Figure rate_of(const CellSeed& seed, const std::function<bool(Random& random)>& happens);

// Shares of `kinds` things that may happen, each on its own.
std::vector<Figure> rates_of(
    const CellSeed& seed, int kinds,
    const std::function<void(Random& random, std::vector<std::int64_t>& counts)>& one);

// The one that the options name, or all.
std::vector<Scenario> chosen_scenarios(const SuiteOptions& options);

}  // namespace assay::simulation
