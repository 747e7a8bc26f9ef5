// Executes a model's graph on a GPU through the variants that a service map names.
//
// A decode step is one replay of a captured graph: at load, one graph is captured for each set of
// rows that the map selects over the context, decode and output list together; token and position
// lie in device memory. Eager mode (graphs = false) launches the same kernels one by one and gives
// the same bits. Prefill and its logits are always eager.
//
// No CUDA header is needed here. Where the CUDA side is not built, cuda_backend_absent.cpp says so.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "engine/backend/backend.h"
#include "engine/backend/cuda/cuda_memory_plan.h"
#include "engine/core/device.h"
#include "engine/graph/graph.h"

namespace assay {

// Enqueues the writing of a tensor's raw blocks to device memory, on a cudaStream_t; false where
// the host's bytes are to be copied.
using DeviceSource = std::function<bool(const Weight& weight, std::byte* device, void* stream)>;

struct CudaBackendOptions {
  int context = 0;      // positions of KV cache, >= 1
  bool graphs = true;   // replay captured graphs for decode steps
  DeviceSource source;  // empty: everything is copied
};

// `model` and `progress` must outlive the backend. Errors as ServiceTable; Error(kEnvironment)
// without a GPU, or where the plan exceeds the device's free memory.
std::unique_ptr<Backend> make_cuda_backend(const Model& model, const Graph& graph,
                                           const ServiceSelection& service,
                                           const CudaBackendOptions& options,
                                           std::atomic<std::uint64_t>& progress);

}  // namespace assay
