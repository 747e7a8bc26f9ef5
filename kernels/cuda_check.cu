#include "kernels/cuda_check.cuh"

namespace assay::cuda {
namespace {

thread_local const char* last = "none";

bool is_of_the_machine(cudaError_t status) {
  switch (status) {
    case cudaErrorMemoryAllocation:
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorDevicesUnavailable:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion:
      return true;
    default:
      return false;
  }
}

}  // namespace

void check(cudaError_t status, const std::string& what) {
  if (status == cudaSuccess) return;
  const std::string text = what + ": " + cudaGetErrorString(status) + " (" +
                           cudaGetErrorName(status) + "); last launch: " + last;
  throw Error(is_of_the_machine(status) ? ErrorKind::kEnvironment : ErrorKind::kInternal, text);
}

void check_launch(const char* variant) {
  last = variant;
  const cudaError_t status = cudaGetLastError();
  if (status != cudaSuccess) check(status, std::string("launch of ") + variant);
}

const char* last_launch() {
  return last;
}

}  // namespace assay::cuda
