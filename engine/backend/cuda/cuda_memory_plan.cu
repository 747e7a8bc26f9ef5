#include "engine/backend/cuda/cuda_memory_plan.h"

#include <algorithm>

#include "engine/backend/cuda/device_memory.cuh"
#include "engine/backend/cuda/device_weights.cuh"
#include "engine/core/error.h"
#include "kernels/cuda_check.cuh"
#include "kernels/cuda_launch.h"

namespace assay {
namespace {

std::string mib(std::uint64_t bytes) {
  return std::to_string((bytes + (1u << 19)) >> 20) + " MiB";
}

}  // namespace

int cuda_rows(int context) {
  return cuda_padded_rows(std::min(context, kCudaMaxChunk));
}

CudaMemoryPlan plan_cuda_memory(const Model& model, const Graph& graph, int context) {
  return {.weights = weight_bytes(graph),
          .kv = device_cache_bytes(model.hyper, context),
          .activations = device_activation_bytes(model.hyper, context, cuda_rows(context)),
          .workspace = cuda_workspace_bytes(largest_matrix(graph))};
}

std::string to_string(const CudaMemoryPlan& plan) {
  return "weights " + mib(plan.weights) + ", KV cache " + mib(plan.kv) + ", activations " +
         mib(plan.activations) + ", workspace " + mib(plan.workspace) + " on the GPU";
}

void check_device_memory(const CudaMemoryPlan& plan) {
  std::size_t available = 0;
  std::size_t total = 0;
  const cudaError_t status = cudaMemGetInfo(&available, &total);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    throw Error(ErrorKind::kEnvironment,
                "out of GPU memory: " + to_string(plan) +
                    ", but there is not even room to begin (the driver's own part of a process); "
                    "end what else uses the GPU");
  }
  cuda::check(status, "cudaMemGetInfo");
  if (plan.weights + plan.kv + plan.activations + plan.workspace <= available) return;
  throw Error(ErrorKind::kEnvironment,
              "out of GPU memory: " + to_string(plan) + ", but " + mib(available) + " of " +
                  mib(total) + " are free; ask for less context or end what else uses the GPU");
}

}  // namespace assay
