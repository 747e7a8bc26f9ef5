#include "engine/backend/backend.h"

namespace assay {

LaunchCounts launches_since(const LaunchCounts& before, const LaunchCounts& after) {
  LaunchCounts difference;
  for (const auto& [id, count] : after) {
    const auto earlier = before.find(id);
    const std::uint64_t launches = count - (earlier == before.end() ? 0 : earlier->second);
    if (launches > 0) difference[id] = launches;
  }
  return difference;
}

}  // namespace assay
