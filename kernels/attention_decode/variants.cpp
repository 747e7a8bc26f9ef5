// Attention of one token over the cache. Variants as data.
#include "kernels/ops.h"

namespace assay {
namespace {

// Lengths on both sides of the ends of the first and second tile: where a position goes to another
// tile than its neighbour. Every tile length has its own. With as many splits they are the lengths at
// which splits get one and two positions more.
constexpr int kEdges32[] = {31, 32, 33, 64, 65};
constexpr int kEdges64[] = {63, 64, 65, 128, 129};
constexpr int kEdges128[] = {127, 128, 129, 256, 257};

constexpr VariantInfo kAttentionDecode[] = {
    {"attention_decode.cpu.portable[tkv=32]", "attention_decode_cpu_portable_tkv32",
     "kernels/attention_decode/cpu_portable.cpp", CpuLevel::kPortable, kEdges32,
     "plain C++, K/V tiles of 32 positions"},
    {"attention_decode.cpu.portable[tkv=64]", "attention_decode_cpu_portable_tkv64",
     "kernels/attention_decode/cpu_portable.cpp", CpuLevel::kPortable, kEdges64,
     "plain C++, K/V tiles of 64 positions"},
    {"attention_decode.cpu.avx2[tkv=32]", "attention_decode_cpu_avx2_tkv32",
     "kernels/attention_decode/cpu_avx2.cpp", CpuLevel::kAvx2, kEdges32,
     "AVX2, four rows per load, K/V tiles of 32 positions"},
    {"attention_decode.cpu.avx2[tkv=64]", "attention_decode_cpu_avx2_tkv64",
     "kernels/attention_decode/cpu_avx2.cpp", CpuLevel::kAvx2, kEdges64,
     "AVX2, four rows per load, K/V tiles of 64 positions"},
    {"attention_decode.cuda.packed[splits=32]", "attention_decode_cuda_packed_splits32",
     "kernels/attention_decode/cuda_packed.cu", CudaLevel::kSm80, kEdges32,
     "the heads of a group packed into a block, positions cut into 32 splits"},
    {"attention_decode.cuda.packed[splits=64]", "attention_decode_cuda_packed_splits64",
     "kernels/attention_decode/cuda_packed.cu", CudaLevel::kSm80, kEdges64,
     "the heads of a group packed into a block, positions cut into 64 splits"},
    {"attention_decode.cuda.packed[splits=128]", "attention_decode_cuda_packed_splits128",
     "kernels/attention_decode/cuda_packed.cu", CudaLevel::kSm80, kEdges128,
     "the heads of a group packed into a block, positions cut into 128 splits"},
    // assay new variant adds lines above
};

}  // namespace

OpVariants attention_decode_variants() {
  return {{"attention_decode", Phase::kDecode, {}}, kAttentionDecode};
}

}  // namespace assay
