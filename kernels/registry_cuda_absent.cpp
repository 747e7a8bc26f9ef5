// The CUDA registry of a program that was built without a CUDA compiler.
#include "kernels/registry_cuda.h"

namespace assay {

std::span<const CudaVariant> cuda_registry() {
  return {};
}

const CudaVariant* find_cuda_variant(std::string_view) {
  return nullptr;
}

bool has_cuda_code() {
  return false;
}

}  // namespace assay
