// SwiGLU: silu(gate) * up. Variants as data.
#include "kernels/ops.h"

namespace assay {
namespace {

constexpr VariantInfo kSwiglu[] = {
    {"swiglu.cpu.portable",
     "swiglu_cpu_portable",
     "kernels/swiglu/cpu_portable.cpp",
     CpuLevel::kPortable,
     {},
     "plain C++, exponential of kernels/exp.h"},
    {"swiglu.cpu.avx2",
     "swiglu_cpu_avx2",
     "kernels/swiglu/cpu_avx2.cpp",
     CpuLevel::kAvx2,
     {},
     "eight at a time, exponential of kernels/exp_avx2.h"},
    {"swiglu.cuda.vector",
     "swiglu_cuda_vector",
     "kernels/swiglu/cuda_vector.cu",
     CudaLevel::kSm80,
     {},
     "a thread per four elements, exponential of kernels/exp.h"},
    // assay new variant adds lines above
};

}  // namespace

OpVariants swiglu_variants() {
  return {{"swiglu", Phase::kBoth, {}}, kSwiglu};
}

}  // namespace assay
