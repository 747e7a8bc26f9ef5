#include "engine/backend/cuda/cuda_device.h"

#include "kernels/cuda_check.cuh"
#include "kernels/cuda_stage.h"
#include "kernels/matmul/cublaslt.h"

namespace assay {
namespace {

// As the driver's tools print it: GPU-8-4-4-4-12 hex digits.
std::string uuid_text(const cudaUUID_t& uuid) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "GPU";
  for (int i = 0; i < 16; ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    const auto byte = static_cast<unsigned char>(uuid.bytes[i]);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace

CudaDevice cuda_device_here() {
  CudaDevice device;
  device.capability = cuda_capability(&device.why);
  if (device.capability == 0) return device;
  cudaDeviceProp properties{};
  cuda::check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  device.name = properties.name;
  device.uuid = uuid_text(properties.uuid);
  return device;
}

bool cuda_vendor_gemm() {
  return CublasLt::there();
}

}  // namespace assay
