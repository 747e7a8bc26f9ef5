// What a model takes on a GPU, known before anything is allocated. No CUDA header is needed here.
#pragma once

#include <cstdint>
#include <string>

#include "engine/graph/graph.h"

namespace assay {

inline constexpr int kCudaMaxChunk = 4096;  // rows of a prefill pass on a GPU
// Rows that the activations of a pass have room for, padding included.
int cuda_rows(int context);

struct CudaMemoryPlan {
  std::uint64_t weights = 0;      // bytes on the device
  std::uint64_t kv = 0;           // of the cache
  std::uint64_t activations = 0;  // of activations and tables
  std::uint64_t workspace = 0;    // scratch of kernels
};
CudaMemoryPlan plan_cuda_memory(const Model& model, const Graph& graph, int context);
std::string to_string(const CudaMemoryPlan& plan);

// Error(kEnvironment) where the plan exceeds the device's free memory.
void check_device_memory(const CudaMemoryPlan& plan);

}  // namespace assay
