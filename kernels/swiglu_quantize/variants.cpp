// SwiGLU and quantisation as one op. Variants as data; on a GPU alone, where launches and trips to
// memory are what the parts cost.
#include "kernels/ops.h"

namespace assay {
namespace {

constexpr VariantInfo kSwigluQuantize[] = {
    {"swiglu_quantize.cuda.separate",
     "swiglu_quantize_cuda_separate",
     "kernels/swiglu_quantize/cuda_separate.cu",
     CudaLevel::kSm80,
     {},
     "the kernels of swiglu and quantize_activations one after the other"},
    {"swiglu_quantize.cuda.fused",
     "swiglu_quantize_cuda_fused",
     "kernels/swiglu_quantize/cuda_fused.cu",
     CudaLevel::kSm80,
     {},
     "one kernel, eight lanes per block of 32 that compute what they quantise"},
    // assay new variant adds lines above
};

}  // namespace

OpVariants swiglu_quantize_variants() {
  return {{"swiglu_quantize", Phase::kBoth, {}}, kSwigluQuantize};
}

}  // namespace assay
