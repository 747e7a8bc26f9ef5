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
    {"matvec_f32.cuda.warp[rows=1]", "matvec_f32_cuda_warp_rows1",
     "kernels/matvec/cuda_warp_f32.cu", CudaLevel::kSm80, {},
     "a warp per one weight row, units of its lanes in flight"},
    {"matvec_f32.cuda.warp[rows=2]", "matvec_f32_cuda_warp_rows2",
     "kernels/matvec/cuda_warp_f32.cu", CudaLevel::kSm80, {},
     "a warp per two weight rows, units of its lanes in flight"},
    {"matvec_f32.cuda.warp[rows=4]", "matvec_f32_cuda_warp_rows4",
     "kernels/matvec/cuda_warp_f32.cu", CudaLevel::kSm80, {},
     "a warp per four weight rows, units of its lanes in flight"},
    // assay new variant adds lines above
};

constexpr VariantInfo kMatvecF16[] = {
    {"matvec_f16.cpu.portable", "matvec_f16_cpu_portable",
     "kernels/matvec/cpu_portable_f16.cpp", CpuLevel::kPortable, {},
     "plain C++, one row of weights at a time"},
    {"matvec_f16.cpu.avx2", "matvec_f16_cpu_avx2",
     "kernels/matvec/cpu_avx2_f16.cpp", CpuLevel::kAvx2, {},
     "AVX2, eight weight rows in flight"},
    {"matvec_f16.cuda.warp[rows=1]", "matvec_f16_cuda_warp_rows1",
     "kernels/matvec/cuda_warp_f16.cu", CudaLevel::kSm80, {},
     "a warp per one weight row, units of its lanes in flight"},
    {"matvec_f16.cuda.warp[rows=2]", "matvec_f16_cuda_warp_rows2",
     "kernels/matvec/cuda_warp_f16.cu", CudaLevel::kSm80, {},
     "a warp per two weight rows, units of its lanes in flight"},
    {"matvec_f16.cuda.warp[rows=4]", "matvec_f16_cuda_warp_rows4",
     "kernels/matvec/cuda_warp_f16.cu", CudaLevel::kSm80, {},
     "a warp per four weight rows, units of its lanes in flight"},
    // assay new variant adds lines above
};

constexpr VariantInfo kMatvecBF16[] = {
    {"matvec_bf16.cpu.portable", "matvec_bf16_cpu_portable",
     "kernels/matvec/cpu_portable_bf16.cpp", CpuLevel::kPortable, {},
     "plain C++, one row of weights at a time"},
    {"matvec_bf16.cpu.avx2", "matvec_bf16_cpu_avx2",
     "kernels/matvec/cpu_avx2_bf16.cpp", CpuLevel::kAvx2, {},
     "AVX2, eight weight rows in flight"},
    {"matvec_bf16.cuda.warp[rows=1]", "matvec_bf16_cuda_warp_rows1",
     "kernels/matvec/cuda_warp_bf16.cu", CudaLevel::kSm80, {},
     "a warp per one weight row, units of its lanes in flight"},
    {"matvec_bf16.cuda.warp[rows=2]", "matvec_bf16_cuda_warp_rows2",
     "kernels/matvec/cuda_warp_bf16.cu", CudaLevel::kSm80, {},
     "a warp per two weight rows, units of its lanes in flight"},
    {"matvec_bf16.cuda.warp[rows=4]", "matvec_bf16_cuda_warp_rows4",
     "kernels/matvec/cuda_warp_bf16.cu", CudaLevel::kSm80, {},
     "a warp per four weight rows, units of its lanes in flight"},
    // assay new variant adds lines above
};

constexpr VariantInfo kMatvecQ40[] = {
    {"matvec_q4_0.cpu.portable", "matvec_q4_0_cpu_portable",
     "kernels/matvec/cpu_portable_q4_0.cpp", CpuLevel::kPortable, {},
     "plain C++, one row of weights at a time"},
    {"matvec_q4_0.cpu.avx2", "matvec_q4_0_cpu_avx2",
     "kernels/matvec/cpu_avx2_q4_0.cpp", CpuLevel::kAvx2, {},
     "AVX2, one weight row at a time"},
    {"matvec_q4_0.cpu.avx512vnni", "matvec_q4_0_cpu_avx512vnni",
     "kernels/matvec/cpu_avx512vnni_q4_0.cpp", CpuLevel::kAvx512Vnni, {},
     "AVX-512 VNNI, one weight row at a time"},
    {"matvec_q4_0.cuda.warp[rows=1]", "matvec_q4_0_cuda_warp_rows1",
     "kernels/matvec/cuda_warp_q4_0.cu", CudaLevel::kSm80, {},
     "a warp per one weight row, units of its lanes in flight",
     WeightLayout::kPlanes},
    {"matvec_q4_0.cuda.warp[rows=2]", "matvec_q4_0_cuda_warp_rows2",
     "kernels/matvec/cuda_warp_q4_0.cu", CudaLevel::kSm80, {},
     "a warp per two weight rows, units of its lanes in flight",
     WeightLayout::kPlanes},
    {"matvec_q4_0.cuda.warp[rows=4]", "matvec_q4_0_cuda_warp_rows4",
     "kernels/matvec/cuda_warp_q4_0.cu", CudaLevel::kSm80, {},
     "a warp per four weight rows, units of its lanes in flight",
     WeightLayout::kPlanes},
    // assay new variant adds lines above
};

constexpr VariantInfo kMatvecQ41[] = {
    {"matvec_q4_1.cpu.portable", "matvec_q4_1_cpu_portable",
     "kernels/matvec/cpu_portable_q4_1.cpp", CpuLevel::kPortable, {},
     "plain C++, one row of weights at a time"},
    {"matvec_q4_1.cpu.avx2", "matvec_q4_1_cpu_avx2",
     "kernels/matvec/cpu_avx2_q4_1.cpp", CpuLevel::kAvx2, {},
     "AVX2, one weight row at a time"},
    {"matvec_q4_1.cpu.avx512vnni", "matvec_q4_1_cpu_avx512vnni",
     "kernels/matvec/cpu_avx512vnni_q4_1.cpp", CpuLevel::kAvx512Vnni, {},
     "AVX-512 VNNI, one weight row at a time"},
    {"matvec_q4_1.cpu.avx512vnni_ahead[bytes=1024]", "matvec_q4_1_cpu_avx512vnni_ahead_bytes1024",
     "kernels/matvec/cpu_avx512vnni_ahead_q4_1.cpp", CpuLevel::kAvx512Vnni, {},
     "AVX-512 VNNI, weights asked for 1024 bytes ahead"},
    {"matvec_q4_1.cpu.avx512vnni_ahead[bytes=4096]", "matvec_q4_1_cpu_avx512vnni_ahead_bytes4096",
     "kernels/matvec/cpu_avx512vnni_ahead_q4_1.cpp", CpuLevel::kAvx512Vnni, {},
     "AVX-512 VNNI, weights asked for 4096 bytes ahead"},
    {"matvec_q4_1.cuda.warp[rows=1]", "matvec_q4_1_cuda_warp_rows1",
     "kernels/matvec/cuda_warp_q4_1.cu", CudaLevel::kSm80, {},
     "a warp per one weight row, units of its lanes in flight",
     WeightLayout::kPlanes},
    {"matvec_q4_1.cuda.warp[rows=2]", "matvec_q4_1_cuda_warp_rows2",
     "kernels/matvec/cuda_warp_q4_1.cu", CudaLevel::kSm80, {},
     "a warp per two weight rows, units of its lanes in flight",
     WeightLayout::kPlanes},
    {"matvec_q4_1.cuda.warp[rows=4]", "matvec_q4_1_cuda_warp_rows4",
     "kernels/matvec/cuda_warp_q4_1.cu", CudaLevel::kSm80, {},
     "a warp per four weight rows, units of its lanes in flight",
     WeightLayout::kPlanes},
    // assay new variant adds lines above
};

constexpr VariantInfo kMatvecQ50[] = {
    {"matvec_q5_0.cpu.portable", "matvec_q5_0_cpu_portable",
     "kernels/matvec/cpu_portable_q5_0.cpp", CpuLevel::kPortable, {},
     "plain C++, one row of weights at a time"},
    {"matvec_q5_0.cpu.avx2", "matvec_q5_0_cpu_avx2",
     "kernels/matvec/cpu_avx2_q5_0.cpp", CpuLevel::kAvx2, {},
     "AVX2, one weight row at a time"},
    {"matvec_q5_0.cpu.avx512vnni", "matvec_q5_0_cpu_avx512vnni",
     "kernels/matvec/cpu_avx512vnni_q5_0.cpp", CpuLevel::kAvx512Vnni, {},
     "AVX-512 VNNI, one weight row at a time"},
    {"matvec_q5_0.cuda.warp[rows=1]", "matvec_q5_0_cuda_warp_rows1",
     "kernels/matvec/cuda_warp_q5_0.cu", CudaLevel::kSm80, {},
     "a warp per one weight row, units of its lanes in flight",
     WeightLayout::kPlanes},
    {"matvec_q5_0.cuda.warp[rows=2]", "matvec_q5_0_cuda_warp_rows2",
     "kernels/matvec/cuda_warp_q5_0.cu", CudaLevel::kSm80, {},
     "a warp per two weight rows, units of its lanes in flight",
     WeightLayout::kPlanes},
    {"matvec_q5_0.cuda.warp[rows=4]", "matvec_q5_0_cuda_warp_rows4",
     "kernels/matvec/cuda_warp_q5_0.cu", CudaLevel::kSm80, {},
     "a warp per four weight rows, units of its lanes in flight",
     WeightLayout::kPlanes},
    // assay new variant adds lines above
};

constexpr VariantInfo kMatvecQ51[] = {
    {"matvec_q5_1.cpu.portable", "matvec_q5_1_cpu_portable",
     "kernels/matvec/cpu_portable_q5_1.cpp", CpuLevel::kPortable, {},
     "plain C++, one row of weights at a time"},
    {"matvec_q5_1.cpu.avx2", "matvec_q5_1_cpu_avx2",
     "kernels/matvec/cpu_avx2_q5_1.cpp", CpuLevel::kAvx2, {},
     "AVX2, one weight row at a time"},
    {"matvec_q5_1.cpu.avx512vnni", "matvec_q5_1_cpu_avx512vnni",
     "kernels/matvec/cpu_avx512vnni_q5_1.cpp", CpuLevel::kAvx512Vnni, {},
     "AVX-512 VNNI, one weight row at a time"},
    {"matvec_q5_1.cuda.warp[rows=1]", "matvec_q5_1_cuda_warp_rows1",
     "kernels/matvec/cuda_warp_q5_1.cu", CudaLevel::kSm80, {},
     "a warp per one weight row, units of its lanes in flight",
     WeightLayout::kPlanes},
    {"matvec_q5_1.cuda.warp[rows=2]", "matvec_q5_1_cuda_warp_rows2",
     "kernels/matvec/cuda_warp_q5_1.cu", CudaLevel::kSm80, {},
     "a warp per two weight rows, units of its lanes in flight",
     WeightLayout::kPlanes},
    {"matvec_q5_1.cuda.warp[rows=4]", "matvec_q5_1_cuda_warp_rows4",
     "kernels/matvec/cuda_warp_q5_1.cu", CudaLevel::kSm80, {},
     "a warp per four weight rows, units of its lanes in flight",
     WeightLayout::kPlanes},
    // assay new variant adds lines above
};

constexpr VariantInfo kMatvecQ80[] = {
    {"matvec_q8_0.cpu.portable", "matvec_q8_0_cpu_portable",
     "kernels/matvec/cpu_portable_q8_0.cpp", CpuLevel::kPortable, {},
     "plain C++, one row of weights at a time"},
    {"matvec_q8_0.cpu.avx2", "matvec_q8_0_cpu_avx2",
     "kernels/matvec/cpu_avx2_q8_0.cpp", CpuLevel::kAvx2, {},
     "AVX2, one weight row at a time"},
    {"matvec_q8_0.cpu.avx512vnni", "matvec_q8_0_cpu_avx512vnni",
     "kernels/matvec/cpu_avx512vnni_q8_0.cpp", CpuLevel::kAvx512Vnni, {},
     "AVX-512 VNNI, one weight row at a time"},
    {"matvec_q8_0.cuda.warp[rows=1]", "matvec_q8_0_cuda_warp_rows1",
     "kernels/matvec/cuda_warp_q8_0.cu", CudaLevel::kSm80, {},
     "a warp per one weight row, units of its lanes in flight",
     WeightLayout::kPlanes},
    {"matvec_q8_0.cuda.warp[rows=2]", "matvec_q8_0_cuda_warp_rows2",
     "kernels/matvec/cuda_warp_q8_0.cu", CudaLevel::kSm80, {},
     "a warp per two weight rows, units of its lanes in flight",
     WeightLayout::kPlanes},
    {"matvec_q8_0.cuda.warp[rows=4]", "matvec_q8_0_cuda_warp_rows4",
     "kernels/matvec/cuda_warp_q8_0.cu", CudaLevel::kSm80, {},
     "a warp per four weight rows, units of its lanes in flight",
     WeightLayout::kPlanes},
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
    {"matvec_q4k.cuda.warp[rows=1]", "matvec_q4k_cuda_warp_rows1",
     "kernels/matvec/cuda_warp_q4k.cu", CudaLevel::kSm80, {},
     "a warp per one weight row, units of its lanes in flight"},
    {"matvec_q4k.cuda.warp[rows=2]", "matvec_q4k_cuda_warp_rows2",
     "kernels/matvec/cuda_warp_q4k.cu", CudaLevel::kSm80, {},
     "a warp per two weight rows, units of its lanes in flight"},
    {"matvec_q4k.cuda.warp[rows=4]", "matvec_q4k_cuda_warp_rows4",
     "kernels/matvec/cuda_warp_q4k.cu", CudaLevel::kSm80, {},
     "a warp per four weight rows, units of its lanes in flight"},
    // assay new variant adds lines above
};

constexpr VariantInfo kMatvecQ5K[] = {
    {"matvec_q5k.cpu.portable", "matvec_q5k_cpu_portable",
     "kernels/matvec/cpu_portable_q5k.cpp", CpuLevel::kPortable, {},
     "plain C++, one row of weights at a time"},
    {"matvec_q5k.cpu.avx2", "matvec_q5k_cpu_avx2",
     "kernels/matvec/cpu_avx2_q5k.cpp", CpuLevel::kAvx2, {},
     "AVX2, one weight row at a time"},
    {"matvec_q5k.cpu.avx512vnni", "matvec_q5k_cpu_avx512vnni",
     "kernels/matvec/cpu_avx512vnni_q5k.cpp", CpuLevel::kAvx512Vnni, {},
     "AVX-512 VNNI, one weight row at a time"},
    {"matvec_q5k.cuda.warp[rows=1]", "matvec_q5k_cuda_warp_rows1",
     "kernels/matvec/cuda_warp_q5k.cu", CudaLevel::kSm80, {},
     "a warp per one weight row, units of its lanes in flight"},
    {"matvec_q5k.cuda.warp[rows=2]", "matvec_q5k_cuda_warp_rows2",
     "kernels/matvec/cuda_warp_q5k.cu", CudaLevel::kSm80, {},
     "a warp per two weight rows, units of its lanes in flight"},
    {"matvec_q5k.cuda.warp[rows=4]", "matvec_q5k_cuda_warp_rows4",
     "kernels/matvec/cuda_warp_q5k.cu", CudaLevel::kSm80, {},
     "a warp per four weight rows, units of its lanes in flight"},
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
    {"matvec_q6k.cpu.avx512vnni_wide", "matvec_q6k_cpu_avx512vnni_wide",
     "kernels/matvec/cpu_avx512vnni_wide_q6k.cpp", CpuLevel::kAvx512Vnni, {},
     "AVX-512 VNNI, 64 codes unpacked at a time, one weight row in flight"},
    {"matvec_q6k.cuda.warp[rows=1]", "matvec_q6k_cuda_warp_rows1",
     "kernels/matvec/cuda_warp_q6k.cu", CudaLevel::kSm80, {},
     "a warp per one weight row, units of its lanes in flight",
     WeightLayout::kPlanes},
    {"matvec_q6k.cuda.warp[rows=2]", "matvec_q6k_cuda_warp_rows2",
     "kernels/matvec/cuda_warp_q6k.cu", CudaLevel::kSm80, {},
     "a warp per two weight rows, units of its lanes in flight",
     WeightLayout::kPlanes},
    {"matvec_q6k.cuda.warp[rows=4]", "matvec_q6k_cuda_warp_rows4",
     "kernels/matvec/cuda_warp_q6k.cu", CudaLevel::kSm80, {},
     "a warp per four weight rows, units of its lanes in flight",
     WeightLayout::kPlanes},
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
OpVariants matvec_bf16_variants() {
  return {{"matvec_bf16", Phase::kDecode, {}}, kMatvecBF16};
}
OpVariants matvec_q4_0_variants() {
  return {{"matvec_q4_0", Phase::kDecode, {}}, kMatvecQ40};
}
OpVariants matvec_q4_1_variants() {
  return {{"matvec_q4_1", Phase::kDecode, {}}, kMatvecQ41};
}
OpVariants matvec_q5_0_variants() {
  return {{"matvec_q5_0", Phase::kDecode, {}}, kMatvecQ50};
}
OpVariants matvec_q5_1_variants() {
  return {{"matvec_q5_1", Phase::kDecode, {}}, kMatvecQ51};
}
OpVariants matvec_q8_0_variants() {
  return {{"matvec_q8_0", Phase::kDecode, {}}, kMatvecQ80};
}
OpVariants matvec_q4k_variants() {
  return {{"matvec_q4k", Phase::kDecode, {}}, kMatvecQ4K};
}
OpVariants matvec_q5k_variants() {
  return {{"matvec_q5k", Phase::kDecode, {}}, kMatvecQ5K};
}
OpVariants matvec_q6k_variants() {
  return {{"matvec_q6k", Phase::kDecode, {}}, kMatvecQ6K};
}

}  // namespace assay
