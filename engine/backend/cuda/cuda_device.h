// The GPU that this process uses, and what its machine has for it. No CUDA header is needed here.
#pragma once

#include <string>

namespace assay {

// `capability` 0: there is none, and `why` says what is missing.
struct CudaDevice {
  int capability = 0;  // compute capability times ten
  std::string name;
  std::string uuid;  // "GPU-..."
  std::string why;
};
CudaDevice cuda_device_here();

// Whether the vendor's GEMM library can be loaded (kernels/matmul/cublaslt.h).
bool cuda_vendor_gemm();

}  // namespace assay
