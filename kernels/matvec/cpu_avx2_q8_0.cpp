// matvec_q8_0 with AVX2, one weight row at a time; the arithmetic is avx2_q8_0.h.
#include "kernels/launch.h"
#include "kernels/matvec/avx2_q8_0.h"
#include "kernels/matvec/matvec.h"
#include "kernels/matvec/weight_rows.h"
#include "kernels/ranges.h"

namespace assay {

static void matvec_q8_0_avx2(const MatvecArgs& args, Launch& launch) {
  for_ranges(launch, args.n, 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      const auto* row = weight_row<BlockQ8_0>(args.weights, r, args.k);
      dot_q8_0_tokens<products_q8_0_avx2, 1>(row, args.xq, 0, args.k, args.y + r);
    }
  });
}

}  // namespace assay

ASSAY_VARIANT(matvec_q8_0_cpu_avx2, assay::MatvecArgs, assay::matvec_q8_0_avx2);
