// A member of stored JSON that may have any form.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace assay {

// "" where `json` is no object, or the member is not there or no text.
inline std::string text_at(const nlohmann::json& json, const char* key) {
  if (!json.is_object()) return "";
  const auto at = json.find(key);
  return at != json.end() && at->is_string() ? at->get<std::string>() : "";
}

}  // namespace assay
