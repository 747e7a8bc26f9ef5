// The CUDA launch functions that a program links; what registry_cuda.cpp pairs with their infos.
//
// A list of its own, so that a program may have another: assay-worker-planted compiles
// planted/linked_cuda_variants.cpp in place of linked_cuda_variants.cpp.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/cuda_launch.h"

namespace assay {

struct LinkedCudaVariant {
  std::string_view symbol;  // as VariantInfo::symbol
  CudaLaunchFunction launch;
  std::uint64_t* launches;
};

std::vector<LinkedCudaVariant> linked_cuda_variants();

}  // namespace assay

// For the lists: what a line ASSAY_LINKED(symbol) declares, and the entry it becomes.
#define ASSAY_LINKED_CUDA_DECLARATION(symbol)    \
  extern "C" std::uint64_t assay_count_##symbol; \
  extern "C" void assay_launch_##symbol(const void* args, ::assay::CudaLaunch& launch);
#define ASSAY_LINKED_CUDA_ENTRY(symbol) {#symbol, assay_launch_##symbol, &assay_count_##symbol},
