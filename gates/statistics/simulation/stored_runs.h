// Rules of other tools, and ours, on pairs that a GPU measured: lines of JSON, one per run, as
// scripts/gpu/planted_effects.py writes them.
//
// Two kinds of series: equal arms, where every LAND is false, and to which a gain can be added; and
// planted ones, where one arm waits a known number of clock cycles in each step. Those are read
// with the arms exchanged: the arm without the wait is the new code, and its gain is known.
#pragma once

#include <string>
#include <vector>

#include "gates/statistics/judge.h"
#include "gates/statistics/simulation/table.h"

namespace assay::simulation {

struct StoredSeries {
  std::string name;               // workload, and what was planted
  double gain = 0;                // true effect of arm B, a fraction
  std::vector<LaunchPair> pairs;  // of two arms, in the order they ran
};

// Error(kUsage) that names `path` and the line, for a file or a line that cannot be read. Runs of
// three arms are left out: the rules compared read two.
std::vector<StoredSeries> read_stored_runs(const std::string& path);

// Share of windows of 8 neighbouring pairs that each rule lands, at bar 0: equal arms as they are
// and with a gain of 0.5 and 1 % put upon them; planted gains as they are.
std::vector<Table> stored_sections(const std::vector<StoredSeries>& series);

}  // namespace assay::simulation
