// Elementwise addition of a residual or a bias. Variants as data.
#include "kernels/ops.h"

namespace assay {
namespace {

constexpr VariantInfo kAdd[] = {
    {"add.cpu.portable",
     "add_cpu_portable",
     "kernels/add/cpu_portable.cpp",
     CpuLevel::kPortable,
     {},
     "plain C++"},
    {"add.cpu.avx2",
     "add_cpu_avx2",
     "kernels/add/cpu_avx2.cpp",
     CpuLevel::kAvx2,
     {},
     "eight at a time"},
    {"add.cuda.vector",
     "add_cuda_vector",
     "kernels/add/cuda_vector.cu",
     CudaLevel::kSm80,
     {},
     "a thread per four columns"},
    // assay new variant adds lines above
};

}  // namespace

OpVariants add_variants() {
  return {{"add", Phase::kBoth, {}}, kAdd};
}

}  // namespace assay
