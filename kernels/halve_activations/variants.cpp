// Activations as f16. Variants as data.
#include "kernels/ops.h"

namespace assay {
namespace {

constexpr VariantInfo kHalve[] = {
    {"halve_activations.cpu.portable",
     "halve_activations_cpu_portable",
     "kernels/halve_activations/cpu_portable.cpp",
     CpuLevel::kPortable,
     {},
     "plain C++; no CPU kernel reads halves, it is the definition for the others"},
    {"halve_activations.cuda.block",
     "halve_activations_cuda_block",
     "kernels/halve_activations/cuda_block.cu",
     CudaLevel::kSm80,
     {},
     "a thread block per row, an integer maximum and a product"},
    // assay new variant adds lines above
};

}  // namespace

OpVariants halve_activations_variants() {
  return {{"halve_activations", Phase::kPrefill, {}}, kHalve};
}

}  // namespace assay
