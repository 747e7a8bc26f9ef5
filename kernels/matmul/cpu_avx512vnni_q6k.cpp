// matmul_q6k with 512-bit vpdpbusd; the loops are interleaved_matmul.h, the arithmetic
// matvec/avx512vnni_q6k.h.
//
// `tokens` token rows share one unpacked weight block. On an AMD EPYC of family 26, one thread,
// n = 1024, k = 512, t = 64, four and eight tokens are 2.0 and 2.4 times as fast as one.
#include "kernels/launch.h"
#include "kernels/matmul/interleaved_matmul.h"
#include "kernels/matvec/avx512vnni_q6k.h"

namespace assay {
namespace {

struct Dot {
  using Block = BlockQ6K;
  static constexpr bool kEvenOdd = false;
  template <int kRows, int kTokens>
  static void run(const Block* const* rows, const InterleavedBlock* x, int blocks, float* out) {
    dot_q6k_vnni<kRows, kTokens>(rows, x, blocks, out);
  }
};

}  // namespace

template <int kTokens>
static void matmul_q6k_vnni(const MatmulArgs& args, Launch& launch) {
  run_interleaved_matmul<Dot, kTokens>(args, launch);
}

}  // namespace assay

ASSAY_VARIANT(matmul_q6k_cpu_avx512vnni_tokens1, assay::MatmulArgs, assay::matmul_q6k_vnni<1>);
ASSAY_VARIANT(matmul_q6k_cpu_avx512vnni_tokens4, assay::MatmulArgs, assay::matmul_q6k_vnni<4>);
ASSAY_VARIANT(matmul_q6k_cpu_avx512vnni_tokens8, assay::MatmulArgs, assay::matmul_q6k_vnni<8>);
