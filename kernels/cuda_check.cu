#include "kernels/cuda_check.cuh"

namespace assay::cuda {
namespace {

thread_local const char* last = "none";

bool is_of_the_machine(cudaError_t status) {
  switch (status) {
    case cudaErrorECCUncorrectable:
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

// A kernel's own fault: every later call of this process gives the same error.
bool is_sticky(cudaError_t status) {
  switch (status) {
    case cudaErrorIllegalAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorMisalignedAddress:
    case cudaErrorIllegalInstruction:
    case cudaErrorInvalidPc:
    case cudaErrorHardwareStackError:
    case cudaErrorAssert:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorECCUncorrectable:
      return true;
    default:
      return false;
  }
}

}  // namespace

void check(cudaError_t status, const std::string& what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // once it is said, it must not be blamed on the next launch
  std::string text = what + ": " + cudaGetErrorString(status) + " (" + cudaGetErrorName(status) +
                     "); last launch: " + last;
  if (is_sticky(status)) {
    text += "; this process can use the GPU no more: start another";
  }
  throw Error(is_of_the_machine(status) ? ErrorKind::kEnvironment : ErrorKind::kInternal, text);
}

void check_launch(const char* variant) {
  const cudaError_t status = cudaGetLastError();
  // The fault of a kernel that was launched earlier may show here; the last launch is then that
  // one, or one behind it.
  if (is_sticky(status)) check(status, std::string("before the launch of ") + variant);
  last = variant;
  if (status != cudaSuccess) check(status, std::string("launch of ") + variant);
}

const char* last_launch() {
  return last;
}

}  // namespace assay::cuda
