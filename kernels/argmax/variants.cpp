// The largest value, its lowest index, and the runner-up. Variants as data.
#include "kernels/ops.h"

namespace assay {
namespace {

constexpr VariantInfo kArgmax[] = {
    {"argmax.cpu.portable",
     "argmax_cpu_portable",
     "kernels/argmax/cpu_portable.cpp",
     CpuLevel::kPortable,
     {},
     "one scalar pass"},
    {"argmax.cpu.avx2",
     "argmax_cpu_avx2",
     "kernels/argmax/cpu_avx2.cpp",
     CpuLevel::kAvx2,
     {},
     "eight candidates at a time, then the lanes"},
    {"argmax.cuda.two_stage",
     "argmax_cuda_two_stage",
     "kernels/argmax/cuda_two_stage.cu",
     CudaLevel::kSm80,
     {},
     "a candidate per block, then one block joins them"},
    // assay new variant adds lines above
};

}  // namespace

OpVariants argmax_variants() {
  return {{"argmax", Phase::kBoth, {}}, kArgmax};
}

}  // namespace assay
