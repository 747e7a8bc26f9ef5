// matmul_q4k with AVX2; the loops are interleaved_matmul.h, the arithmetic
// matvec/avx2_q4k.h.
//
// `tokens` token rows share one unpacked weight block. On an AMD EPYC of family 26, one thread,
// n = 1024, k = 512, t = 64, four and eight tokens are 1.7 and 2.0 times as fast as one.
#include "kernels/launch.h"
#include "kernels/matmul/interleaved_matmul.h"
#include "kernels/matvec/avx2_q4k.h"

namespace assay {
namespace {

struct Dot {
  using Block = BlockQ4K;
  static constexpr bool kEvenOdd = true;
  template <int kRows, int kTokens>
  static void run(const Block* const* rows, const InterleavedBlock* x, int blocks, float* out) {
    dot_q4k_avx2<kRows, kTokens>(rows, x, blocks, out);
  }
};

}  // namespace

template <int kTokens>
static void matmul_q4k_avx2(const MatmulArgs& args, Launch& launch) {
  run_interleaved_matmul<Dot, kTokens>(args, launch);
}

}  // namespace assay

ASSAY_VARIANT(matmul_q4k_cpu_avx2_tokens1, assay::MatmulArgs, assay::matmul_q4k_avx2<1>);
ASSAY_VARIANT(matmul_q4k_cpu_avx2_tokens4, assay::MatmulArgs, assay::matmul_q4k_avx2<4>);
ASSAY_VARIANT(matmul_q4k_cpu_avx2_tokens8, assay::MatmulArgs, assay::matmul_q4k_avx2<8>);
