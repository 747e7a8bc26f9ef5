// Variants of quantize_activations, as data.
#include "kernels/ops.h"

namespace assay {
namespace {

// clang-format off

constexpr VariantInfo kVariants[] = {
    {"quantize_activations.cpu.portable", "quantize_activations_cpu_portable",
     "kernels/quantize_activations/cpu_portable.cpp", CpuLevel::kPortable, {},
     "plain C++, one block at a time"},
    {"quantize_activations.cpu.avx2", "quantize_activations_cpu_avx2",
     "kernels/quantize_activations/cpu_avx2.cpp", CpuLevel::kAvx2, {},
     "AVX2, one block in four registers"},
    {"quantize_activations.cuda.warp", "quantize_activations_cuda_warp",
     "kernels/quantize_activations/cuda_warp.cu", CudaLevel::kSm80, {},
     "eight lanes per block of 32, four blocks a warp"},
    // assay new variant adds lines above
};
// clang-format on

}  // namespace

OpVariants quantize_activations_variants() {
  return {{"quantize_activations", Phase::kBoth, {}}, kVariants};
}

}  // namespace assay
