// Residual sum, RMS norm and halving as one op. Variants as data; on a GPU alone, where launches
// and trips to memory are what the parts cost.
#include "kernels/ops.h"

namespace assay {
namespace {

constexpr VariantInfo kAddRmsNormHalve[] = {
    {"add_rms_norm_halve.cuda.separate",
     "add_rms_norm_halve_cuda_separate",
     "kernels/add_rms_norm_halve/cuda_separate.cu",
     CudaLevel::kSm80,
     {},
     "the kernels of add, rms_norm and halve_activations one after the other"},
    {"add_rms_norm_halve.cuda.fused",
     "add_rms_norm_halve_cuda_fused",
     "kernels/add_rms_norm_halve/cuda_fused.cu",
     CudaLevel::kSm80,
     {},
     "one kernel, a row in its threads' registers from the sum to the halves"},
    // assay new variant adds lines above
};

}  // namespace

OpVariants add_rms_norm_halve_variants() {
  return {{"add_rms_norm_halve", Phase::kPrefill, {}}, kAddRmsNormHalve};
}

}  // namespace assay
