// Stored JSON, read quickly.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "experiments/record/event.h"

namespace assay {

// What nlohmann::json::parse gives, or throws. Compact text with sorted keys, as histories store
// it, takes a third of the time.
nlohmann::json read_json(std::string_view text);

// read_json(text).get<PairSample>(), without the values in between.
PairSample read_sample(std::string_view text);

}  // namespace assay
