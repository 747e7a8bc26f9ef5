// The CUDA variants whose code is in this program; kernels/registry.h's other half.
//
// registry_cuda.inc lists their launch symbols. Where no CUDA compiler was found, CMake builds
// registry_cuda_absent.cpp in place of registry_cuda.cpp and the list is empty: the infos remain
// known, their code is "not built here".
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "kernels/cuda_launch.h"
#include "kernels/variant.h"

namespace assay {

struct CudaVariant {
  const VariantInfo* info;
  CudaLaunchFunction launch;
  std::uint64_t* launches;  // bumped by the launcher, once per capture in a graph; never reset
};

// In the order of all_ops().
std::span<const CudaVariant> cuda_registry();
const CudaVariant* find_cuda_variant(std::string_view id);
// Whether this program was built with its CUDA side.
bool has_cuda_code();

}  // namespace assay
