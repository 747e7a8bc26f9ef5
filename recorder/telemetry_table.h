// What the machine did while an attempt was timed, out of its stored samples.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "experiments/record/event.h"

namespace assay {

// (what, value) rows: load average, foreign work; on a GPU its clock per arm, power, temperature
// and throttle counters. A key that no sample has leaves no row, since an older version did not
// ask; one that is null in all of them is "not measured".
std::vector<std::pair<std::string, std::string>> telemetry_rows(
    const std::vector<PairSample>& samples);

}  // namespace assay
