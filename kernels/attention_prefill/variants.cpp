// Causal attention of a batch of tokens over the cache. Variants as data.
#include "kernels/ops.h"

namespace assay {
namespace {

// Lengths on both sides of the ends of the first and second tile: where a position goes to another
// tile than its neighbour. Every tile length has its own.
constexpr int kEdges32[] = {31, 32, 33, 64, 65};
constexpr int kEdges64[] = {63, 64, 65, 128, 129};
constexpr int kEdges128[] = {127, 128, 129, 256, 257};

constexpr VariantInfo kAttentionPrefill[] = {
    {"attention_prefill.cpu.portable[tkv=32]", "attention_prefill_cpu_portable_tkv32",
     "kernels/attention_prefill/cpu_portable.cpp", CpuLevel::kPortable, kEdges32,
     "plain C++, K/V tiles of 32 positions"},
    {"attention_prefill.cpu.portable[tkv=64]", "attention_prefill_cpu_portable_tkv64",
     "kernels/attention_prefill/cpu_portable.cpp", CpuLevel::kPortable, kEdges64,
     "plain C++, K/V tiles of 64 positions"},
    {"attention_prefill.cpu.portable[tkv=128]", "attention_prefill_cpu_portable_tkv128",
     "kernels/attention_prefill/cpu_portable.cpp", CpuLevel::kPortable, kEdges128,
     "plain C++, K/V tiles of 128 positions"},
    {"attention_prefill.cpu.avx2[tkv=32]", "attention_prefill_cpu_avx2_tkv32",
     "kernels/attention_prefill/cpu_avx2.cpp", CpuLevel::kAvx2, kEdges32,
     "AVX2, four rows per load, K/V tiles of 32 positions"},
    {"attention_prefill.cpu.avx2[tkv=64]", "attention_prefill_cpu_avx2_tkv64",
     "kernels/attention_prefill/cpu_avx2.cpp", CpuLevel::kAvx2, kEdges64,
     "AVX2, four rows per load, K/V tiles of 64 positions"},
    {"attention_prefill.cpu.avx2[tkv=128]", "attention_prefill_cpu_avx2_tkv128",
     "kernels/attention_prefill/cpu_avx2.cpp", CpuLevel::kAvx2, kEdges128,
     "AVX2, four rows per load, K/V tiles of 128 positions"},
    {"attention_prefill.cpu.avx512vnni[tkv=32]", "attention_prefill_cpu_avx512vnni_tkv32",
     "kernels/attention_prefill/cpu_avx512vnni.cpp", CpuLevel::kAvx512Vnni, kEdges32,
     "AVX-512, sixteen rows in the lanes, K/V tiles of 32 positions"},
    {"attention_prefill.cuda.mma[tq=64,tkv=32]", "attention_prefill_cuda_mma_tq64_tkv32",
     "kernels/attention_prefill/cuda_mma.cu", CudaLevel::kSm80, kEdges32,
     "f16 tensor cores, 64 rows per block, K/V tiles of 32 positions", WeightLayout::kRaw,
     ActivationForm::kHalf},
    {"attention_prefill.cuda.mma[tq=64,tkv=64]", "attention_prefill_cuda_mma_tq64_tkv64",
     "kernels/attention_prefill/cuda_mma.cu", CudaLevel::kSm80, kEdges64,
     "f16 tensor cores, 64 rows per block, K/V tiles of 64 positions", WeightLayout::kRaw,
     ActivationForm::kHalf},
    // assay new variant adds lines above
};

}  // namespace

OpVariants attention_prefill_variants() {
  return {{"attention_prefill", Phase::kPrefill, {}}, kAttentionPrefill};
}

}  // namespace assay
