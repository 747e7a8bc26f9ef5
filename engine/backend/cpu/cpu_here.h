// What a CPU backend of a level can launch.
#pragma once

#include "engine/backend/service_table.h"
#include "kernels/registry.h"

namespace assay {

inline LaunchableHere cpu_here(CpuLevel level) {
  return {level, [](std::string_view id) { return find_cpu_variant(id) != nullptr; }};
}

}  // namespace assay
