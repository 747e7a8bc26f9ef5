// matvec_bf16 with AVX2, eight weight rows in flight; the arithmetic is avx2_float.h.
#include "kernels/launch.h"
#include "kernels/matvec/avx2_float.h"
#include "kernels/matvec/matvec.h"
#include "kernels/ranges.h"

namespace assay {

static void matvec_bf16_avx2(const MatvecArgs& args, Launch& launch) {
  constexpr int kRows = 8;
  for_ranges(launch, args.n, 16, [&](std::int64_t begin, std::int64_t end) {
    const auto* weights = static_cast<const Bfloat16*>(args.weights);
    const Bfloat16* rows[kRows];
    std::int64_t r = begin;
    for (; r + kRows <= end; r += kRows) {
      for (int i = 0; i < kRows; ++i) rows[i] = weights + (r + i) * args.k;
      dot_float_avx2<kRows, 1>(rows, args.x, args.k, args.y + r);
    }
    for (; r < end; ++r) {
      rows[0] = weights + r * args.k;
      dot_float_avx2<1, 1>(rows, args.x, args.k, args.y + r);
    }
  });
}

}  // namespace assay

ASSAY_VARIANT(matvec_bf16_cpu_avx2, assay::MatvecArgs, assay::matvec_bf16_avx2);
