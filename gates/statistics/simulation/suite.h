// The sections of the simulation suite. statistics.md of the documents quotes their numbers.
//
// "False LAND" means a LAND of a lever that is worth exactly the bar, the hardest case that must
// not land; the rate at an effect of 0 stands beside it.
#pragma once

#include <string>
#include <vector>

#include "gates/statistics/simulation/table.h"

namespace assay::simulation {

struct SuiteOptions {
  int experiments = kFullExperiments;  // per cell
  std::string scenario;                // only this one; "" = all
};

// False LAND of the procedure, per attempt, in every scenario.
Table false_land_section(const SuiteOptions& options);
// What the procedure would be with one rule left out: each must exceed the limit that it keeps.
Table mutants_section(const SuiteOptions& options);
// LAND rates of levers that are worth having.
Table power_section(const SuiteOptions& options);
// The design's own figures of what a plan can resolve, shown without a bound.
Table resolution_section(const SuiteOptions& options);
// The demonstration's two noisy cores: what a lever of 10 %, of nothing and of -10 % is called.
Table two_cores_section(const SuiteOptions& options);
Table designs_section(const SuiteOptions& options);
Table adversaries_section(const SuiteOptions& options);
// Rules of other tools: false LANDs, misses, and false LANDs with the launches in sequence.
std::vector<Table> rules_sections(const SuiteOptions& options);

std::vector<Table> run_suite(const SuiteOptions& options);

}  // namespace assay::simulation
