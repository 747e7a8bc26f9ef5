// What a CUDA backend on a GPU of a compute capability can launch.
#pragma once

#include "engine/backend/service_table.h"
#include "kernels/registry_cuda.h"

namespace assay {

inline LaunchableHere cuda_here(int capability) {
  return {cuda_device(capability),
          [](std::string_view id) { return find_cuda_variant(id) != nullptr; }};
}

}  // namespace assay
