// The launch functions of registry_cuda.inc.
#include "kernels/linked_cuda_variants.h"

#define ASSAY_LINKED(symbol) ASSAY_LINKED_CUDA_DECLARATION(symbol)
#include "kernels/registry_cuda.inc"
#undef ASSAY_LINKED

namespace assay {

std::vector<LinkedCudaVariant> linked_cuda_variants() {
  return {
#define ASSAY_LINKED(symbol) ASSAY_LINKED_CUDA_ENTRY(symbol)
#include "kernels/registry_cuda.inc"
#undef ASSAY_LINKED
  };
}

}  // namespace assay
