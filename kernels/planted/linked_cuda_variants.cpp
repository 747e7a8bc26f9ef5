// The launch functions of registry_cuda.inc and the planted ones, in place of
// kernels/linked_cuda_variants.cpp.
#include "kernels/linked_cuda_variants.h"

#define ASSAY_LINKED(symbol) ASSAY_LINKED_CUDA_DECLARATION(symbol)
#include "kernels/planted/linked_cuda_variants.inc"
#include "kernels/registry_cuda.inc"
#undef ASSAY_LINKED

namespace assay {

std::vector<LinkedCudaVariant> linked_cuda_variants() {
  return {
#define ASSAY_LINKED(symbol) ASSAY_LINKED_CUDA_ENTRY(symbol)
#include "kernels/planted/linked_cuda_variants.inc"
#include "kernels/registry_cuda.inc"
#undef ASSAY_LINKED
  };
}

}  // namespace assay
