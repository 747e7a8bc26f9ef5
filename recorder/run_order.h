// The ordinals of an experiment's runs held against what their seals cover.
//
// A run's ordinal is its place in the order of opening. Its opening says it, under the seal; in one
// of an older program it does not. Of these the ordinals go up from 0 without a gap, and no two
// neighbours are the other way round both in their chain and by the times of their openings: either
// alone may be (runs that overlap, clocks of two machines).
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "recorder/store.h"

namespace assay {

// "run 1 (ID): what is wrong", for all runs of one experiment in the order of their ordinals.
std::vector<std::string> run_order_faults(std::span<const Store::RunTexts> runs);

// The ordinal that a run's opening says; nothing where it says none.
std::optional<int> sealed_ordinal(const nlohmann::json& opening);

}  // namespace assay
