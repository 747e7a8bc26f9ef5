// matvec_q6k with AVX2; the loop is interleaved_matvec.h, the arithmetic avx2_q6k.h.
//
// `rows` weight rows go through a 256-block together, sharing its activations and overlapping their
// chains of float additions. The processor overlaps short rows by itself: on an AMD EPYC of family
// 26, one thread, n = 1024, k = 512, four rows are 15 to 20 % slower than one: they spill
// registers.
#include "kernels/launch.h"
#include "kernels/matvec/avx2_q6k.h"
#include "kernels/matvec/interleaved_matvec.h"

namespace assay {
namespace {

struct Dot {
  using Block = BlockQ6K;
  static constexpr bool kEvenOdd = false;
  template <int kRows, int kTokens>
  static void run(const Block* const* rows, const InterleavedBlock* x, int blocks, float* out) {
    dot_q6k_avx2<kRows, kTokens>(rows, x, blocks, out);
  }
};

}  // namespace

template <int kRows>
static void matvec_q6k_avx2(const MatvecArgs& args, Launch& launch) {
  run_interleaved_matvec<Dot, kRows>(args, launch);
}

}  // namespace assay

ASSAY_VARIANT(matvec_q6k_cpu_avx2_rows1, assay::MatvecArgs, assay::matvec_q6k_avx2<1>);
ASSAY_VARIANT(matvec_q6k_cpu_avx2_rows4, assay::MatvecArgs, assay::matvec_q6k_avx2<4>);
