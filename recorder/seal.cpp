// A seal covers, line by line: the previous seal, then each event's compact JSON (keys sorted,
// numbers in their shortest round-trip form). The record's number is in none of it.
#include "engine/core/sha256.h"
#include "recorder/store.h"

namespace assay {

std::string seal_of(const std::string& previous_seal, const std::vector<Event>& events) {
  Sha256 hash;
  hash.update(previous_seal);
  hash.update("\n");
  for (const Event& event : events) {
    const nlohmann::json json = event;
    hash.update(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    hash.update("\n");
  }
  return hash.hex();
}

}  // namespace assay
