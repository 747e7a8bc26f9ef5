// Variants of matmul, per weight type, as data.
#include "kernels/ops.h"

namespace assay {
namespace {

// clang-format off

constexpr VariantInfo kMatmulF32[] = {
    {"matmul_f32.cpu.portable", "matmul_f32_cpu_portable",
     "kernels/matmul/cpu_portable_f32.cpp", CpuLevel::kPortable, {},
     "plain C++, one row of weights at a time"},
    {"matmul_f32.cpu.avx2[tokens=8]", "matmul_f32_cpu_avx2_tokens8",
     "kernels/matmul/cpu_avx2_f32.cpp", CpuLevel::kAvx2, {},
     "AVX2, eight tokens share the weights"},
    // assay new variant adds lines above
};

constexpr VariantInfo kMatmulF16[] = {
    {"matmul_f16.cpu.portable", "matmul_f16_cpu_portable",
     "kernels/matmul/cpu_portable_f16.cpp", CpuLevel::kPortable, {},
     "plain C++, one row of weights at a time"},
    {"matmul_f16.cpu.avx2[tokens=8]", "matmul_f16_cpu_avx2_tokens8",
     "kernels/matmul/cpu_avx2_f16.cpp", CpuLevel::kAvx2, {},
     "AVX2, eight tokens share the weights"},
    // assay new variant adds lines above
};

constexpr VariantInfo kMatmulQ80[] = {
    {"matmul_q8_0.cpu.portable", "matmul_q8_0_cpu_portable",
     "kernels/matmul/cpu_portable_q8_0.cpp", CpuLevel::kPortable, {},
     "plain C++, one row of weights at a time"},
    {"matmul_q8_0.cpu.avx2[tokens=4]", "matmul_q8_0_cpu_avx2_tokens4",
     "kernels/matmul/cpu_avx2_q8_0.cpp", CpuLevel::kAvx2, {},
     "AVX2, four tokens share the weights"},
    {"matmul_q8_0.cpu.avx512vnni_panel[tokens=8]", "matmul_q8_0_cpu_avx512vnni_panel_tokens8",
     "kernels/matmul/cpu_avx512vnni_panel_q8_0.cpp", CpuLevel::kAvx512Vnni, {},
     "AVX-512 VNNI, sixteen rows unpacked once, eight tokens share a load"},
    // assay new variant adds lines above
};

constexpr VariantInfo kMatmulQ4K[] = {
    {"matmul_q4k.cpu.portable[tokens=1]", "matmul_q4k_cpu_portable_tokens1",
     "kernels/matmul/cpu_portable_q4k.cpp", CpuLevel::kPortable, {},
     "plain C++, every block unpacked for each token"},
    {"matmul_q4k.cpu.portable[tokens=4]", "matmul_q4k_cpu_portable_tokens4",
     "kernels/matmul/cpu_portable_q4k.cpp", CpuLevel::kPortable, {},
     "plain C++, four tokens share one unpacked block"},
    {"matmul_q4k.cpu.portable[tokens=8]", "matmul_q4k_cpu_portable_tokens8",
     "kernels/matmul/cpu_portable_q4k.cpp", CpuLevel::kPortable, {},
     "plain C++, eight tokens share one unpacked block"},
    {"matmul_q4k.cpu.avx2[tokens=1]", "matmul_q4k_cpu_avx2_tokens1",
     "kernels/matmul/cpu_avx2_q4k.cpp", CpuLevel::kAvx2, {},
     "AVX2, every block unpacked for each token"},
    {"matmul_q4k.cpu.avx2[tokens=4]", "matmul_q4k_cpu_avx2_tokens4",
     "kernels/matmul/cpu_avx2_q4k.cpp", CpuLevel::kAvx2, {},
     "AVX2, four tokens share one unpacked block"},
    {"matmul_q4k.cpu.avx2[tokens=8]", "matmul_q4k_cpu_avx2_tokens8",
     "kernels/matmul/cpu_avx2_q4k.cpp", CpuLevel::kAvx2, {},
     "AVX2, eight tokens share one unpacked block"},
    {"matmul_q4k.cpu.avx512vnni[tokens=1]", "matmul_q4k_cpu_avx512vnni_tokens1",
     "kernels/matmul/cpu_avx512vnni_q4k.cpp", CpuLevel::kAvx512Vnni, {},
     "AVX-512 VNNI, every block unpacked for each token"},
    {"matmul_q4k.cpu.avx512vnni[tokens=4]", "matmul_q4k_cpu_avx512vnni_tokens4",
     "kernels/matmul/cpu_avx512vnni_q4k.cpp", CpuLevel::kAvx512Vnni, {},
     "AVX-512 VNNI, four tokens share one unpacked block"},
    {"matmul_q4k.cpu.avx512vnni[tokens=8]", "matmul_q4k_cpu_avx512vnni_tokens8",
     "kernels/matmul/cpu_avx512vnni_q4k.cpp", CpuLevel::kAvx512Vnni, {},
     "AVX-512 VNNI, eight tokens share one unpacked block"},
    {"matmul_q4k.cpu.avx512vnni_panel[tokens=4]", "matmul_q4k_cpu_avx512vnni_panel_tokens4",
     "kernels/matmul/cpu_avx512vnni_panel_q4k.cpp", CpuLevel::kAvx512Vnni, {},
     "AVX-512 VNNI, sixteen rows unpacked once, four tokens share a load"},
    {"matmul_q4k.cpu.avx512vnni_panel[tokens=8]", "matmul_q4k_cpu_avx512vnni_panel_tokens8",
     "kernels/matmul/cpu_avx512vnni_panel_q4k.cpp", CpuLevel::kAvx512Vnni, {},
     "AVX-512 VNNI, sixteen rows unpacked once, eight tokens share a load"},
    // assay new variant adds lines above
};

constexpr VariantInfo kMatmulQ6K[] = {
    {"matmul_q6k.cpu.portable[tokens=1]", "matmul_q6k_cpu_portable_tokens1",
     "kernels/matmul/cpu_portable_q6k.cpp", CpuLevel::kPortable, {},
     "plain C++, every block unpacked for each token"},
    {"matmul_q6k.cpu.portable[tokens=4]", "matmul_q6k_cpu_portable_tokens4",
     "kernels/matmul/cpu_portable_q6k.cpp", CpuLevel::kPortable, {},
     "plain C++, four tokens share one unpacked block"},
    {"matmul_q6k.cpu.portable[tokens=8]", "matmul_q6k_cpu_portable_tokens8",
     "kernels/matmul/cpu_portable_q6k.cpp", CpuLevel::kPortable, {},
     "plain C++, eight tokens share one unpacked block"},
    {"matmul_q6k.cpu.avx2[tokens=1]", "matmul_q6k_cpu_avx2_tokens1",
     "kernels/matmul/cpu_avx2_q6k.cpp", CpuLevel::kAvx2, {},
     "AVX2, every block unpacked for each token"},
    {"matmul_q6k.cpu.avx2[tokens=4]", "matmul_q6k_cpu_avx2_tokens4",
     "kernels/matmul/cpu_avx2_q6k.cpp", CpuLevel::kAvx2, {},
     "AVX2, four tokens share one unpacked block"},
    {"matmul_q6k.cpu.avx2[tokens=8]", "matmul_q6k_cpu_avx2_tokens8",
     "kernels/matmul/cpu_avx2_q6k.cpp", CpuLevel::kAvx2, {},
     "AVX2, eight tokens share one unpacked block"},
    {"matmul_q6k.cpu.avx512vnni[tokens=1]", "matmul_q6k_cpu_avx512vnni_tokens1",
     "kernels/matmul/cpu_avx512vnni_q6k.cpp", CpuLevel::kAvx512Vnni, {},
     "AVX-512 VNNI, every block unpacked for each token"},
    {"matmul_q6k.cpu.avx512vnni[tokens=4]", "matmul_q6k_cpu_avx512vnni_tokens4",
     "kernels/matmul/cpu_avx512vnni_q6k.cpp", CpuLevel::kAvx512Vnni, {},
     "AVX-512 VNNI, four tokens share one unpacked block"},
    {"matmul_q6k.cpu.avx512vnni[tokens=8]", "matmul_q6k_cpu_avx512vnni_tokens8",
     "kernels/matmul/cpu_avx512vnni_q6k.cpp", CpuLevel::kAvx512Vnni, {},
     "AVX-512 VNNI, eight tokens share one unpacked block"},
    {"matmul_q6k.cpu.avx512vnni_panel[tokens=8]", "matmul_q6k_cpu_avx512vnni_panel_tokens8",
     "kernels/matmul/cpu_avx512vnni_panel_q6k.cpp", CpuLevel::kAvx512Vnni, {},
     "AVX-512 VNNI, sixteen rows unpacked once, eight tokens share a load"},
    // assay new variant adds lines above
};
// clang-format on

}  // namespace

OpVariants matmul_f32_variants() {
  return {{"matmul_f32", Phase::kPrefill, {}}, kMatmulF32};
}
OpVariants matmul_f16_variants() {
  return {{"matmul_f16", Phase::kPrefill, {}}, kMatmulF16};
}
OpVariants matmul_q8_0_variants() {
  return {{"matmul_q8_0", Phase::kPrefill, {}}, kMatmulQ80};
}
OpVariants matmul_q4k_variants() {
  return {{"matmul_q4k", Phase::kPrefill, {}}, kMatmulQ4K};
}
OpVariants matmul_q6k_variants() {
  return {{"matmul_q6k", Phase::kPrefill, {}}, kMatmulQ6K};
}

}  // namespace assay
