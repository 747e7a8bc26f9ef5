// SwiGLU and halving as one op. Variants as data; on a GPU alone, where launches and trips to
// memory are what the parts cost.
#include "kernels/ops.h"

namespace assay {
namespace {

constexpr VariantInfo kSwigluHalve[] = {
    {"swiglu_halve.cuda.separate",
     "swiglu_halve_cuda_separate",
     "kernels/swiglu_halve/cuda_separate.cu",
     CudaLevel::kSm80,
     {},
     "the kernels of swiglu and halve_activations one after the other"},
    {"swiglu_halve.cuda.fused",
     "swiglu_halve_cuda_fused",
     "kernels/swiglu_halve/cuda_fused.cu",
     CudaLevel::kSm80,
     {},
     "one kernel, a block per row, halves by a scale of 1 written as the pass goes"},
    // assay new variant adds lines above
};

}  // namespace

OpVariants swiglu_halve_variants() {
  return {{"swiglu_halve", Phase::kPrefill, {}}, kSwigluHalve};
}

}  // namespace assay
