// Variants of matvec, per weight type, as data.
#include "kernels/ops.h"

namespace assay {
namespace {

// clang-format off

constexpr VariantInfo kMatvecF32[] = {
    {"matvec_f32.cpu.portable", "matvec_f32_cpu_portable",
     "kernels/matvec/cpu_portable_f32.cpp", CpuLevel::kPortable, {},
     "plain C++, one row of weights at a time"},
    {"matvec_f32.cpu.avx2", "matvec_f32_cpu_avx2",
     "kernels/matvec/cpu_avx2_f32.cpp", CpuLevel::kAvx2, {},
     "AVX2, eight weight rows in flight"},
    // assay new variant adds lines above
};

constexpr VariantInfo kMatvecF16[] = {
    {"matvec_f16.cpu.portable", "matvec_f16_cpu_portable",
     "kernels/matvec/cpu_portable_f16.cpp", CpuLevel::kPortable, {},
     "plain C++, one row of weights at a time"},
    {"matvec_f16.cpu.avx2", "matvec_f16_cpu_avx2",
     "kernels/matvec/cpu_avx2_f16.cpp", CpuLevel::kAvx2, {},
     "AVX2, eight weight rows in flight"},
    // assay new variant adds lines above
};

constexpr VariantInfo kMatvecQ80[] = {
    {"matvec_q8_0.cpu.portable", "matvec_q8_0_cpu_portable",
     "kernels/matvec/cpu_portable_q8_0.cpp", CpuLevel::kPortable, {},
     "plain C++, one row of weights at a time"},
    {"matvec_q8_0.cpu.avx2", "matvec_q8_0_cpu_avx2",
     "kernels/matvec/cpu_avx2_q8_0.cpp", CpuLevel::kAvx2, {},
     "AVX2, one weight row at a time"},
    // assay new variant adds lines above
};

constexpr VariantInfo kMatvecQ4K[] = {
    {"matvec_q4k.cpu.portable", "matvec_q4k_cpu_portable",
     "kernels/matvec/cpu_portable_q4k.cpp", CpuLevel::kPortable, {},
     "plain C++, one row of weights at a time"},
    {"matvec_q4k.cpu.avx2[rows=1]", "matvec_q4k_cpu_avx2_rows1",
     "kernels/matvec/cpu_avx2_q4k.cpp", CpuLevel::kAvx2, {},
     "AVX2, one weight row in flight"},
    {"matvec_q4k.cpu.avx2[rows=4]", "matvec_q4k_cpu_avx2_rows4",
     "kernels/matvec/cpu_avx2_q4k.cpp", CpuLevel::kAvx2, {},
     "AVX2, four weight rows in flight"},
    {"matvec_q4k.cpu.avx512vnni[rows=1]", "matvec_q4k_cpu_avx512vnni_rows1",
     "kernels/matvec/cpu_avx512vnni_q4k.cpp", CpuLevel::kAvx512Vnni, {},
     "AVX-512 VNNI, one weight row in flight"},
    {"matvec_q4k.cpu.avx512vnni[rows=4]", "matvec_q4k_cpu_avx512vnni_rows4",
     "kernels/matvec/cpu_avx512vnni_q4k.cpp", CpuLevel::kAvx512Vnni, {},
     "AVX-512 VNNI, four weight rows in flight"},
    // assay new variant adds lines above
};

constexpr VariantInfo kMatvecQ6K[] = {
    {"matvec_q6k.cpu.portable", "matvec_q6k_cpu_portable",
     "kernels/matvec/cpu_portable_q6k.cpp", CpuLevel::kPortable, {},
     "plain C++, one row of weights at a time"},
    {"matvec_q6k.cpu.avx2[rows=1]", "matvec_q6k_cpu_avx2_rows1",
     "kernels/matvec/cpu_avx2_q6k.cpp", CpuLevel::kAvx2, {},
     "AVX2, one weight row in flight"},
    {"matvec_q6k.cpu.avx2[rows=4]", "matvec_q6k_cpu_avx2_rows4",
     "kernels/matvec/cpu_avx2_q6k.cpp", CpuLevel::kAvx2, {},
     "AVX2, four weight rows in flight"},
    {"matvec_q6k.cpu.avx512vnni[rows=1]", "matvec_q6k_cpu_avx512vnni_rows1",
     "kernels/matvec/cpu_avx512vnni_q6k.cpp", CpuLevel::kAvx512Vnni, {},
     "AVX-512 VNNI, one weight row in flight"},
    {"matvec_q6k.cpu.avx512vnni[rows=4]", "matvec_q6k_cpu_avx512vnni_rows4",
     "kernels/matvec/cpu_avx512vnni_q6k.cpp", CpuLevel::kAvx512Vnni, {},
     "AVX-512 VNNI, four weight rows in flight"},
    // assay new variant adds lines above
};
// clang-format on

}  // namespace

OpVariants matvec_f32_variants() {
  return {{"matvec_f32", Phase::kDecode, {}}, kMatvecF32};
}
OpVariants matvec_f16_variants() {
  return {{"matvec_f16", Phase::kDecode, {}}, kMatvecF16};
}
OpVariants matvec_q8_0_variants() {
  return {{"matvec_q8_0", Phase::kDecode, {}}, kMatvecQ80};
}
OpVariants matvec_q4k_variants() {
  return {{"matvec_q4k", Phase::kDecode, {}}, kMatvecQ4K};
}
OpVariants matvec_q6k_variants() {
  return {{"matvec_q6k", Phase::kDecode, {}}, kMatvecQ6K};
}

}  // namespace assay
