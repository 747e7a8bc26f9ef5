// Rotary position embedding of half-split pairs. Variants as data.
#include "kernels/ops.h"

namespace assay {
namespace {

constexpr VariantInfo kRope[] = {
    {"rope.cpu.portable",
     "rope_cpu_portable",
     "kernels/rope/cpu_portable.cpp",
     CpuLevel::kPortable,
     {},
     "plain C++, tables from the host"},
    {"rope.cpu.avx2",
     "rope_cpu_avx2",
     "kernels/rope/cpu_avx2.cpp",
     CpuLevel::kAvx2,
     {},
     "eight pairs at a time"},
    {"rope.cuda.pairs",
     "rope_cuda_pairs",
     "kernels/rope/cuda_pairs.cu",
     CudaLevel::kSm80,
     {},
     "a thread per four pairs, position from device memory"},
    // assay new variant adds lines above
};

}  // namespace

OpVariants rope_variants() {
  return {{"rope", Phase::kBoth, {}}, kRope};
}

}  // namespace assay
