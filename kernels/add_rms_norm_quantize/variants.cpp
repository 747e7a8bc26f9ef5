// Residual sum, RMS norm and quantisation as one op. Variants as data; on a GPU alone, where
// launches and trips to memory are what the parts cost.
#include "kernels/ops.h"

namespace assay {
namespace {

constexpr VariantInfo kAddRmsNormQuantize[] = {
    {"add_rms_norm_quantize.cuda.separate",
     "add_rms_norm_quantize_cuda_separate",
     "kernels/add_rms_norm_quantize/cuda_separate.cu",
     CudaLevel::kSm80,
     {},
     "the kernels of add, rms_norm and quantize_activations one after the other"},
    {"add_rms_norm_quantize.cuda.fused",
     "add_rms_norm_quantize_cuda_fused",
     "kernels/add_rms_norm_quantize/cuda_fused.cu",
     CudaLevel::kSm80,
     {},
     "one kernel, a row in its threads' registers from the sum to the codes"},
    // assay new variant adds lines above
};

}  // namespace

OpVariants add_rms_norm_quantize_variants() {
  return {{"add_rms_norm_quantize", Phase::kBoth, {}}, kAddRmsNormQuantize};
}

}  // namespace assay
