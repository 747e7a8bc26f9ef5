// Stored JSON, read quickly.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "experiments/record/event.h"

namespace assay {

// What nlohmann::json::parse gives, or throws. Compact text with sorted keys, as histories store
// it, takes a third of the time.
nlohmann::json read_json(const std::string& text);

// read_json(text).get<PairSample>(), without the values in between.
PairSample read_sample(const std::string& text);

}  // namespace assay
