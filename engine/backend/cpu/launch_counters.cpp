#include "engine/backend/cpu/launch_counters.h"

#include "kernels/registry.h"

namespace assay {

LaunchCounters::LaunchCounters() {
  for (const RegisteredVariant& variant : cpu_registry()) before_.push_back(*variant.launches);
}

std::map<std::string, std::uint64_t> LaunchCounters::since() const {
  std::map<std::string, std::uint64_t> counts;
  std::size_t index = 0;
  for (const RegisteredVariant& variant : cpu_registry()) {
    const std::uint64_t launches = *variant.launches - before_[index++];
    if (launches > 0) counts[std::string(variant.info->id)] = launches;
  }
  return counts;
}

}  // namespace assay
