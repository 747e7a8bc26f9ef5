// Token embedding: rows of the table, dequantised. Variants as data.
#include "kernels/ops.h"

namespace assay {
namespace {

constexpr VariantInfo kEmbed[] = {
    {"embed.cpu.portable",
     "embed_cpu_portable",
     "kernels/embed/cpu_portable.cpp",
     CpuLevel::kPortable,
     {},
     "scalar definition of each format"},
    {"embed.cpu.avx2",
     "embed_cpu_avx2",
     "kernels/embed/cpu_avx2.cpp",
     CpuLevel::kAvx2,
     {},
     "eight codes at a time, F16C scales"},
    {"embed.cuda.rows",
     "embed_cuda_rows",
     "kernels/embed/cuda_rows.cu",
     CudaLevel::kSm80,
     {},
     "a thread per 32 or 64 elements of any type, raw or in planes"},
    // assay new variant adds lines above
};

}  // namespace

OpVariants embed_variants() {
  return {{"embed", Phase::kBoth, {}}, kEmbed};
}

}  // namespace assay
