// Variants of matmul, per weight type, as data.
#include "kernels/ops.h"

namespace assay {
namespace {

// Rows of activations around the GPU's padding and around its tiles.
constexpr int kEdges64[] = {63, 64, 65, 128, 129};
constexpr int kEdges128[] = {127, 128, 129, 256, 257};

// clang-format off

constexpr VariantInfo kMatmulF32[] = {
    {"matmul_f32.cpu.portable", "matmul_f32_cpu_portable",
     "kernels/matmul/cpu_portable_f32.cpp", CpuLevel::kPortable, {},
     "plain C++, one row of weights at a time"},
    {"matmul_f32.cpu.avx2[tokens=8]", "matmul_f32_cpu_avx2_tokens8",
     "kernels/matmul/cpu_avx2_f32.cpp", CpuLevel::kAvx2, {},
     "AVX2, eight tokens share the weights"},
    {"matmul_f32.cpu.avx2_panel[tokens=4]", "matmul_f32_cpu_avx2_panel_tokens4",
     "kernels/matmul/cpu_avx2_panel_f32.cpp", CpuLevel::kAvx2, {},
     "AVX2, eight rows in the lanes, four tokens share a load"},
    {"matmul_f32.cpu.avx512vnni_panel[tokens=8]", "matmul_f32_cpu_avx512vnni_panel_tokens8",
     "kernels/matmul/cpu_avx512vnni_panel_f32.cpp", CpuLevel::kAvx512Vnni, {},
     "AVX-512, sixteen rows in the lanes, eight tokens share a load"},
    {"matmul_f32.cuda.cublaslt", "matmul_f32_cuda_cublaslt",
     "kernels/matmul/cuda_cublaslt.cu", CudaLevel::kSm80, kEdges64,
     "the vendor's GEMM of halves, weights made f16 each time",
     WeightLayout::kRaw, ActivationForm::kHalf},
    {"matmul_f32.cuda.mma[tile=128]", "matmul_f32_cuda_mma_tile128",
     "kernels/matmul/cuda_mma.cu", CudaLevel::kSm80, kEdges128,
     "f16 tensor cores by mma.sync, 128 x 128 outputs per block, weights made f16 each time",
     WeightLayout::kRaw, ActivationForm::kHalf},
    // assay new variant adds lines above
};

constexpr VariantInfo kMatmulF16[] = {
    {"matmul_f16.cpu.portable", "matmul_f16_cpu_portable",
     "kernels/matmul/cpu_portable_f16.cpp", CpuLevel::kPortable, {},
     "plain C++, one row of weights at a time"},
    {"matmul_f16.cpu.avx2[tokens=8]", "matmul_f16_cpu_avx2_tokens8",
     "kernels/matmul/cpu_avx2_f16.cpp", CpuLevel::kAvx2, {},
     "AVX2, eight tokens share the weights"},
    {"matmul_f16.cpu.avx2_panel[tokens=4]", "matmul_f16_cpu_avx2_panel_tokens4",
     "kernels/matmul/cpu_avx2_panel_f16.cpp", CpuLevel::kAvx2, {},
     "AVX2, eight rows in the lanes, four tokens share a load"},
    {"matmul_f16.cpu.avx512vnni_panel[tokens=8]", "matmul_f16_cpu_avx512vnni_panel_tokens8",
     "kernels/matmul/cpu_avx512vnni_panel_f16.cpp", CpuLevel::kAvx512Vnni, {},
     "AVX-512, sixteen rows in the lanes, eight tokens share a load"},
    {"matmul_f16.cuda.cublaslt", "matmul_f16_cuda_cublaslt",
     "kernels/matmul/cuda_cublaslt.cu", CudaLevel::kSm80, kEdges64,
     "the vendor's GEMM of halves, weights in place",
     WeightLayout::kRaw, ActivationForm::kHalf},
    {"matmul_f16.cuda.mma[tile=128]", "matmul_f16_cuda_mma_tile128",
     "kernels/matmul/cuda_mma.cu", CudaLevel::kSm80, kEdges128,
     "f16 tensor cores by mma.sync, 128 x 128 outputs per block, weights in place",
     WeightLayout::kRaw, ActivationForm::kHalf},
    // assay new variant adds lines above
};

constexpr VariantInfo kMatmulBF16[] = {
    {"matmul_bf16.cpu.portable", "matmul_bf16_cpu_portable",
     "kernels/matmul/cpu_portable_bf16.cpp", CpuLevel::kPortable, {},
     "plain C++, one row of weights at a time"},
    {"matmul_bf16.cpu.avx2[tokens=8]", "matmul_bf16_cpu_avx2_tokens8",
     "kernels/matmul/cpu_avx2_bf16.cpp", CpuLevel::kAvx2, {},
     "AVX2, eight tokens share the weights"},
    {"matmul_bf16.cpu.avx2_panel[tokens=4]", "matmul_bf16_cpu_avx2_panel_tokens4",
     "kernels/matmul/cpu_avx2_panel_bf16.cpp", CpuLevel::kAvx2, {},
     "AVX2, eight rows in the lanes, four tokens share a load"},
    {"matmul_bf16.cpu.avx512vnni_panel[tokens=8]", "matmul_bf16_cpu_avx512vnni_panel_tokens8",
     "kernels/matmul/cpu_avx512vnni_panel_bf16.cpp", CpuLevel::kAvx512Vnni, {},
     "AVX-512, sixteen rows in the lanes, eight tokens share a load"},
    {"matmul_bf16.cuda.cublaslt", "matmul_bf16_cuda_cublaslt",
     "kernels/matmul/cuda_cublaslt.cu", CudaLevel::kSm80, kEdges64,
     "the vendor's GEMM of halves, weights made f16 each time",
     WeightLayout::kRaw, ActivationForm::kHalf},
    {"matmul_bf16.cuda.mma[tile=128]", "matmul_bf16_cuda_mma_tile128",
     "kernels/matmul/cuda_mma.cu", CudaLevel::kSm80, kEdges128,
     "f16 tensor cores by mma.sync, 128 x 128 outputs per block, weights made f16 each time",
     WeightLayout::kRaw, ActivationForm::kHalf},
    // assay new variant adds lines above
};

constexpr VariantInfo kMatmulQ40[] = {
    {"matmul_q4_0.cpu.portable[tokens=4]", "matmul_q4_0_cpu_portable_tokens4",
     "kernels/matmul/cpu_portable_q4_0.cpp", CpuLevel::kPortable, {},
     "plain C++, four tokens share one unpacked block"},
    {"matmul_q4_0.cpu.avx2_panel[tokens=4]", "matmul_q4_0_cpu_avx2_panel_tokens4",
     "kernels/matmul/cpu_avx2_panel_q4_0.cpp", CpuLevel::kAvx2, {},
     "AVX2, eight rows unpacked once, four tokens share a load"},
    {"matmul_q4_0.cpu.avx512vnni_panel[tokens=8]", "matmul_q4_0_cpu_avx512vnni_panel_tokens8",
     "kernels/matmul/cpu_avx512vnni_panel_q4_0.cpp", CpuLevel::kAvx512Vnni, {},
     "AVX-512 VNNI, sixteen rows unpacked once, eight tokens share a load"},
    {"matmul_q4_0.cuda.cublaslt", "matmul_q4_0_cuda_cublaslt",
     "kernels/matmul/cuda_cublaslt.cu", CudaLevel::kSm80, kEdges64,
     "the vendor's GEMM of halves, weights made f16 each time",
     WeightLayout::kRaw, ActivationForm::kHalf},
    {"matmul_q4_0.cuda.mma[tile=128]", "matmul_q4_0_cuda_mma_tile128",
     "kernels/matmul/cuda_mma.cu", CudaLevel::kSm80, kEdges128,
     "f16 tensor cores by mma.sync, 128 x 128 outputs per block, weights made f16 each time",
     WeightLayout::kRaw, ActivationForm::kHalf},
    // assay new variant adds lines above
};

constexpr VariantInfo kMatmulQ41[] = {
    {"matmul_q4_1.cpu.portable[tokens=4]", "matmul_q4_1_cpu_portable_tokens4",
     "kernels/matmul/cpu_portable_q4_1.cpp", CpuLevel::kPortable, {},
     "plain C++, four tokens share one unpacked block"},
    {"matmul_q4_1.cpu.avx2_panel[tokens=4]", "matmul_q4_1_cpu_avx2_panel_tokens4",
     "kernels/matmul/cpu_avx2_panel_q4_1.cpp", CpuLevel::kAvx2, {},
     "AVX2, eight rows unpacked once, four tokens share a load"},
    {"matmul_q4_1.cpu.avx512vnni_panel[tokens=8]", "matmul_q4_1_cpu_avx512vnni_panel_tokens8",
     "kernels/matmul/cpu_avx512vnni_panel_q4_1.cpp", CpuLevel::kAvx512Vnni, {},
     "AVX-512 VNNI, sixteen rows unpacked once, eight tokens share a load"},
    {"matmul_q4_1.cpu.avx512vnni_panel[tokens=4]", "matmul_q4_1_cpu_avx512vnni_panel_tokens4",
     "kernels/matmul/cpu_avx512vnni_panel_q4_1.cpp", CpuLevel::kAvx512Vnni, {},
     "AVX-512 VNNI, sixteen rows unpacked once, four tokens share a load"},
    {"matmul_q4_1.cpu.avx512vnni_panel[tokens=12]", "matmul_q4_1_cpu_avx512vnni_panel_tokens12",
     "kernels/matmul/cpu_avx512vnni_panel_q4_1.cpp", CpuLevel::kAvx512Vnni, {},
     "AVX-512 VNNI, sixteen rows unpacked once, twelve tokens share a load"},
    {"matmul_q4_1.cuda.cublaslt", "matmul_q4_1_cuda_cublaslt",
     "kernels/matmul/cuda_cublaslt.cu", CudaLevel::kSm80, kEdges64,
     "the vendor's GEMM of halves, weights made f16 each time",
     WeightLayout::kRaw, ActivationForm::kHalf},
    {"matmul_q4_1.cuda.mma[tile=128]", "matmul_q4_1_cuda_mma_tile128",
     "kernels/matmul/cuda_mma.cu", CudaLevel::kSm80, kEdges128,
     "f16 tensor cores by mma.sync, 128 x 128 outputs per block, weights made f16 each time",
     WeightLayout::kRaw, ActivationForm::kHalf},
    // assay new variant adds lines above
};

constexpr VariantInfo kMatmulQ50[] = {
    {"matmul_q5_0.cpu.portable[tokens=4]", "matmul_q5_0_cpu_portable_tokens4",
     "kernels/matmul/cpu_portable_q5_0.cpp", CpuLevel::kPortable, {},
     "plain C++, four tokens share one unpacked block"},
    {"matmul_q5_0.cpu.avx2_panel[tokens=4]", "matmul_q5_0_cpu_avx2_panel_tokens4",
     "kernels/matmul/cpu_avx2_panel_q5_0.cpp", CpuLevel::kAvx2, {},
     "AVX2, eight rows unpacked once, four tokens share a load"},
    {"matmul_q5_0.cpu.avx512vnni_panel[tokens=8]", "matmul_q5_0_cpu_avx512vnni_panel_tokens8",
     "kernels/matmul/cpu_avx512vnni_panel_q5_0.cpp", CpuLevel::kAvx512Vnni, {},
     "AVX-512 VNNI, sixteen rows unpacked once, eight tokens share a load"},
    {"matmul_q5_0.cuda.cublaslt", "matmul_q5_0_cuda_cublaslt",
     "kernels/matmul/cuda_cublaslt.cu", CudaLevel::kSm80, kEdges64,
     "the vendor's GEMM of halves, weights made f16 each time",
     WeightLayout::kRaw, ActivationForm::kHalf},
    {"matmul_q5_0.cuda.mma[tile=128]", "matmul_q5_0_cuda_mma_tile128",
     "kernels/matmul/cuda_mma.cu", CudaLevel::kSm80, kEdges128,
     "f16 tensor cores by mma.sync, 128 x 128 outputs per block, weights made f16 each time",
     WeightLayout::kRaw, ActivationForm::kHalf},
    // assay new variant adds lines above
};

constexpr VariantInfo kMatmulQ51[] = {
    {"matmul_q5_1.cpu.portable[tokens=4]", "matmul_q5_1_cpu_portable_tokens4",
     "kernels/matmul/cpu_portable_q5_1.cpp", CpuLevel::kPortable, {},
     "plain C++, four tokens share one unpacked block"},
    {"matmul_q5_1.cpu.avx2_panel[tokens=4]", "matmul_q5_1_cpu_avx2_panel_tokens4",
     "kernels/matmul/cpu_avx2_panel_q5_1.cpp", CpuLevel::kAvx2, {},
     "AVX2, eight rows unpacked once, four tokens share a load"},
    {"matmul_q5_1.cpu.avx512vnni_panel[tokens=8]", "matmul_q5_1_cpu_avx512vnni_panel_tokens8",
     "kernels/matmul/cpu_avx512vnni_panel_q5_1.cpp", CpuLevel::kAvx512Vnni, {},
     "AVX-512 VNNI, sixteen rows unpacked once, eight tokens share a load"},
    {"matmul_q5_1.cuda.cublaslt", "matmul_q5_1_cuda_cublaslt",
     "kernels/matmul/cuda_cublaslt.cu", CudaLevel::kSm80, kEdges64,
     "the vendor's GEMM of halves, weights made f16 each time",
     WeightLayout::kRaw, ActivationForm::kHalf},
    {"matmul_q5_1.cuda.mma[tile=128]", "matmul_q5_1_cuda_mma_tile128",
     "kernels/matmul/cuda_mma.cu", CudaLevel::kSm80, kEdges128,
     "f16 tensor cores by mma.sync, 128 x 128 outputs per block, weights made f16 each time",
     WeightLayout::kRaw, ActivationForm::kHalf},
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
    {"matmul_q8_0.cuda.cublaslt", "matmul_q8_0_cuda_cublaslt",
     "kernels/matmul/cuda_cublaslt.cu", CudaLevel::kSm80, kEdges64,
     "the vendor's GEMM of halves, weights made f16 each time",
     WeightLayout::kRaw, ActivationForm::kHalf},
    {"matmul_q8_0.cuda.mma[tile=128]", "matmul_q8_0_cuda_mma_tile128",
     "kernels/matmul/cuda_mma.cu", CudaLevel::kSm80, kEdges128,
     "f16 tensor cores by mma.sync, 128 x 128 outputs per block, weights made f16 each time",
     WeightLayout::kRaw, ActivationForm::kHalf},
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
    {"matmul_q4k.cpu.avx2_panel[tokens=4]", "matmul_q4k_cpu_avx2_panel_tokens4",
     "kernels/matmul/cpu_avx2_panel_q4k.cpp", CpuLevel::kAvx2, {},
     "AVX2, eight rows unpacked once, four tokens share a load"},
    {"matmul_q4k.cpu.avx512vnni_panel[tokens=4]", "matmul_q4k_cpu_avx512vnni_panel_tokens4",
     "kernels/matmul/cpu_avx512vnni_panel_q4k.cpp", CpuLevel::kAvx512Vnni, {},
     "AVX-512 VNNI, sixteen rows unpacked once, four tokens share a load"},
    {"matmul_q4k.cpu.avx512vnni_panel[tokens=8]", "matmul_q4k_cpu_avx512vnni_panel_tokens8",
     "kernels/matmul/cpu_avx512vnni_panel_q4k.cpp", CpuLevel::kAvx512Vnni, {},
     "AVX-512 VNNI, sixteen rows unpacked once, eight tokens share a load"},
    {"matmul_q4k.cuda.cublaslt", "matmul_q4k_cuda_cublaslt",
     "kernels/matmul/cuda_cublaslt.cu", CudaLevel::kSm80, kEdges64,
     "the vendor's GEMM of halves, weights made f16 each time",
     WeightLayout::kRaw, ActivationForm::kHalf},
    {"matmul_q4k.cuda.mma[tile=128]", "matmul_q4k_cuda_mma_tile128",
     "kernels/matmul/cuda_mma.cu", CudaLevel::kSm80, kEdges128,
     "f16 tensor cores by mma.sync, 128 x 128 outputs per block, weights made f16 each time",
     WeightLayout::kRaw, ActivationForm::kHalf},
    // assay new variant adds lines above
};

constexpr VariantInfo kMatmulQ5K[] = {
    {"matmul_q5k.cpu.portable[tokens=4]", "matmul_q5k_cpu_portable_tokens4",
     "kernels/matmul/cpu_portable_q5k.cpp", CpuLevel::kPortable, {},
     "plain C++, four tokens share one unpacked block"},
    {"matmul_q5k.cpu.avx2_panel[tokens=4]", "matmul_q5k_cpu_avx2_panel_tokens4",
     "kernels/matmul/cpu_avx2_panel_q5k.cpp", CpuLevel::kAvx2, {},
     "AVX2, eight rows unpacked once, four tokens share a load"},
    {"matmul_q5k.cpu.avx512vnni_panel[tokens=8]", "matmul_q5k_cpu_avx512vnni_panel_tokens8",
     "kernels/matmul/cpu_avx512vnni_panel_q5k.cpp", CpuLevel::kAvx512Vnni, {},
     "AVX-512 VNNI, sixteen rows unpacked once, eight tokens share a load"},
    {"matmul_q5k.cuda.cublaslt", "matmul_q5k_cuda_cublaslt",
     "kernels/matmul/cuda_cublaslt.cu", CudaLevel::kSm80, kEdges64,
     "the vendor's GEMM of halves, weights made f16 each time",
     WeightLayout::kRaw, ActivationForm::kHalf},
    {"matmul_q5k.cuda.mma[tile=128]", "matmul_q5k_cuda_mma_tile128",
     "kernels/matmul/cuda_mma.cu", CudaLevel::kSm80, kEdges128,
     "f16 tensor cores by mma.sync, 128 x 128 outputs per block, weights made f16 each time",
     WeightLayout::kRaw, ActivationForm::kHalf},
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
    {"matmul_q6k.cpu.avx2_panel[tokens=4]", "matmul_q6k_cpu_avx2_panel_tokens4",
     "kernels/matmul/cpu_avx2_panel_q6k.cpp", CpuLevel::kAvx2, {},
     "AVX2, eight rows unpacked once, four tokens share a load"},
    {"matmul_q6k.cpu.avx512vnni_panel[tokens=8]", "matmul_q6k_cpu_avx512vnni_panel_tokens8",
     "kernels/matmul/cpu_avx512vnni_panel_q6k.cpp", CpuLevel::kAvx512Vnni, {},
     "AVX-512 VNNI, sixteen rows unpacked once, eight tokens share a load"},
    {"matmul_q6k.cuda.cublaslt", "matmul_q6k_cuda_cublaslt",
     "kernels/matmul/cuda_cublaslt.cu", CudaLevel::kSm80, kEdges64,
     "the vendor's GEMM of halves, weights made f16 each time",
     WeightLayout::kRaw, ActivationForm::kHalf},
    {"matmul_q6k.cuda.mma[tile=128]", "matmul_q6k_cuda_mma_tile128",
     "kernels/matmul/cuda_mma.cu", CudaLevel::kSm80, kEdges128,
     "f16 tensor cores by mma.sync, 128 x 128 outputs per block, weights made f16 each time",
     WeightLayout::kRaw, ActivationForm::kHalf},
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
OpVariants matmul_bf16_variants() {
  return {{"matmul_bf16", Phase::kPrefill, {}}, kMatmulBF16};
}
OpVariants matmul_q4_0_variants() {
  return {{"matmul_q4_0", Phase::kPrefill, {}}, kMatmulQ40};
}
OpVariants matmul_q4_1_variants() {
  return {{"matmul_q4_1", Phase::kPrefill, {}}, kMatmulQ41};
}
OpVariants matmul_q5_0_variants() {
  return {{"matmul_q5_0", Phase::kPrefill, {}}, kMatmulQ50};
}
OpVariants matmul_q5_1_variants() {
  return {{"matmul_q5_1", Phase::kPrefill, {}}, kMatmulQ51};
}
OpVariants matmul_q8_0_variants() {
  return {{"matmul_q8_0", Phase::kPrefill, {}}, kMatmulQ80};
}
OpVariants matmul_q4k_variants() {
  return {{"matmul_q4k", Phase::kPrefill, {}}, kMatmulQ4K};
}
OpVariants matmul_q5k_variants() {
  return {{"matmul_q5k", Phase::kPrefill, {}}, kMatmulQ5K};
}
OpVariants matmul_q6k_variants() {
  return {{"matmul_q6k", Phase::kPrefill, {}}, kMatmulQ6K};
}

}  // namespace assay
