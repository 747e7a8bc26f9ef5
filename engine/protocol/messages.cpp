#include "engine/protocol/messages.h"

namespace assay {

void to_json(nlohmann::json& json, const ServiceRow& row) {
  json = {{"key", row.key}, {"low", row.low}, {"high", row.high}, {"variant", row.variant}};
}

void from_json(const nlohmann::json& json, ServiceRow& row) {
  const ServiceRow defaults;
  row.key = json.value("key", defaults.key);
  row.low = json.value("low", defaults.low);
  row.high = json.value("high", defaults.high);
  row.variant = json.at("variant").get<std::string>();
}

}  // namespace assay
