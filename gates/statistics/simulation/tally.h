// Counts over many experiments, on all cores.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace assay::simulation {

using Tally = std::vector<std::int64_t>;

// Calls one(index, counts) for every index in [0, experiments), where `counts` has `kinds` entries
// to be added to, and returns the sums. An exception of `one` ends it and is thrown here.
Tally tally(int experiments, int kinds,
            const std::function<void(std::int64_t index, Tally& counts)>& one);

}  // namespace assay::simulation
