#include "engine/backend/cpu/service_of_level.h"

#include <map>
#include <string>

#include "kernels/registry.h"

namespace assay {

ServiceSelection service_of_level(CpuLevel level) {
  std::map<std::string, const VariantInfo*> best;
  for (const RegisteredVariant& variant : cpu_registry()) {
    const VariantInfo& info = *variant.info;
    if (!offers(level, info.needs)) continue;
    const VariantInfo*& slot = best[std::string(info.id.substr(0, info.id.find('.')))];
    if (slot == nullptr || !offers(slot->needs, info.needs)) slot = &info;
  }
  ServiceSelection service;
  for (const auto& [op, info] : best) {
    service[op] = {ServiceRow{.key = "", .variant = std::string(info->id)}};
  }
  return service;
}

}  // namespace assay
