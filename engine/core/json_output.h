// JSON as an answer on standard output: plain ASCII, so that nothing in it acts on a terminal, and
// bytes that are no UTF-8 as the replacement character.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace assay {

template <typename Json>
std::string json_output(const Json& json, int indent = 2) {
  return json.dump(indent, ' ', true, Json::error_handler_t::replace);
}

}  // namespace assay
