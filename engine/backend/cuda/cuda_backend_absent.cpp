// The CUDA backend of a program that was built without a CUDA compiler.
#include "engine/backend/cuda/cuda_backend.h"
#include "engine/backend/cuda/cuda_device.h"
#include "engine/core/error.h"

namespace assay {
namespace {

constexpr const char* kAbsent =
    "this build has no CUDA side: build the preset `cuda` on a machine with nvcc";

}  // namespace

CudaMemoryPlan plan_cuda_memory(const Model&, const Graph&, int) {
  return {};
}

std::string to_string(const CudaMemoryPlan&) {
  return "none";
}

CudaDevice cuda_device_here() {
  return {.capability = 0, .name = {}, .why = kAbsent};
}

bool cuda_vendor_gemm() {
  return false;
}

std::unique_ptr<Backend> make_cuda_backend(const Model&, const Graph&, const ServiceSelection&,
                                           const CudaBackendOptions&, std::atomic<std::uint64_t>&) {
  throw Error(ErrorKind::kEnvironment, std::string("load: backend 'cuda': ") + kAbsent);
}

}  // namespace assay
