// A line as a request, and a request's fields, checked against the struct that they fill.
//
// nlohmann's conversions are lenient: they take 1.7 or true for an int and wrap what does not fit,
// and they pass over a field whose name is misspelt. Here a request must have the field names of
// its struct and their types; a field that is left out keeps its default. The struct's own JSON is
// the schema, so that there is no second list of fields.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "engine/core/error.h"

namespace assay {

// Deeper values are refused: writing one into a message would recurse once per level, and 64 MiB of
// brackets would leave no stack.
inline constexpr int kDeepestRequest = 16;

// Error(kUsage) when the line is no JSON object, or nested too deeply.
nlohmann::json parse_request(std::string_view line);

// Error(kUsage) names request and field. `defaults` is the JSON of a default struct.
void check_fields(const std::string& name, const nlohmann::json& request,
                  const nlohmann::json& defaults);

// A name that came with a request, for a message: on one line, and not longer than 60 bytes.
std::string shown(const std::string& name);

template <typename T>
T read_request(const std::string& name, const nlohmann::json& request) {
  check_fields(name, request, nlohmann::json(T{}));
  return request.get<T>();
}

}  // namespace assay
