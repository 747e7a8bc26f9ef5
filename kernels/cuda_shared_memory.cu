#include "kernels/cuda_shared_memory.cuh"

#include "kernels/cuda_check.cuh"

namespace assay::cuda {
namespace {

// Bytes that a block may have in all on this GPU; 0 where that cannot be asked.
int given_per_block() {
  int device = 0;
  int bytes = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return 0;
  const cudaError_t status =
      cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  return status == cudaSuccess ? bytes : 0;
}

}  // namespace

void allow_shared_memory(const void* kernel, int bytes, const std::string& variant) {
  const cudaError_t status =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  if (status == cudaSuccess) return;
  cudaFuncAttributes use{};
  const bool known = cudaFuncGetAttributes(&use, kernel) == cudaSuccess;
  const int given = given_per_block() - static_cast<int>(known ? use.sharedSizeBytes : 0);
  if (known && given > 0 && bytes > given) {
    cudaGetLastError();  // it is said here, and must not be blamed on the next launch
    throw Error(ErrorKind::kInternal,
                variant + ": the kernel asks for " + std::to_string(bytes) +
                    " bytes of dynamic shared memory per block, and this GPU gives it " +
                    std::to_string(given) + ": " + cudaGetErrorString(status) + " (" +
                    cudaGetErrorName(status) + "); use smaller tiles");
  }
  check(status, variant + ": " + std::to_string(bytes) + " bytes of dynamic shared memory");
}

}  // namespace assay::cuda
