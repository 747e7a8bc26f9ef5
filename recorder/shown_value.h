// Numbers and JSON as people read them, the same everywhere in a record.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace assay {

inline constexpr const char* kNotMeasured = "not measured";

// A fraction as "+12.30 %"; "not measured" for anything that is no number.
std::string percent(const nlohmann::json& fraction);
std::string percent(double fraction);
// The number under `key`, when there is one.
std::optional<double> number_at(const nlohmann::json& object, const std::string& key);
// The value under `key`; null when `object` is no object or lacks it.
const nlohmann::json& value_at(const nlohmann::json& object, const std::string& key);
// One value on one line: six significant digits, strings bare, arrays in brackets.
std::string shown(const nlohmann::json& value);
// Every leaf of an object, as ("outer.inner", value); arrays of plain values count as leaves.
std::vector<std::pair<std::string, std::string>> leaves(const nlohmann::json& object);
// "key: value; key: value", or "".
std::string one_line(const nlohmann::json& object);

}  // namespace assay
