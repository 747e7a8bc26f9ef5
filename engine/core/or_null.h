// What may be absent, as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

namespace assay {

template <typename Value>
nlohmann::json or_null(const std::optional<Value>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

}  // namespace assay
