// Root-mean-square normalisation. Variants as data.
#include "kernels/ops.h"

namespace assay {
namespace {

constexpr VariantInfo kRmsNorm[] = {
    {"rms_norm.cpu.portable",
     "rms_norm_cpu_portable",
     "kernels/rms_norm/cpu_portable.cpp",
     CpuLevel::kPortable,
     {},
     "plain C++, eight partial sums"},
    {"rms_norm.cpu.avx2[unroll=1]",
     "rms_norm_cpu_avx2_unroll1",
     "kernels/rms_norm/cpu_avx2.cpp",
     CpuLevel::kAvx2,
     {},
     "one register of partial sums, one load a step"},
    {"rms_norm.cpu.avx2[unroll=2]",
     "rms_norm_cpu_avx2_unroll2",
     "kernels/rms_norm/cpu_avx2.cpp",
     CpuLevel::kAvx2,
     {},
     "the same sums, two loads a step"},
    {"rms_norm.cpu.step_pairs",
     "rms_norm_cpu_step_pairs",
     "kernels/rms_norm/cpu_step_pairs.cpp",
     CpuLevel::kPortable,
     {},
     "plain C++, two steps of the sums an iteration"},
    {"rms_norm.cuda.block",
     "rms_norm_cuda_block",
     "kernels/rms_norm/cuda_block.cu",
     CudaLevel::kSm80,
     {},
     "a warp or a block per row, elements kept in registers"},
    // assay new variant adds lines above
};

}  // namespace

OpVariants rms_norm_variants() {
  return {{"rms_norm", Phase::kBoth, {}}, kRmsNorm};
}

}  // namespace assay
