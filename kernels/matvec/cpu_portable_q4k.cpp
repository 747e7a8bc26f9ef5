// matvec_q4k in plain C++: the definition that the other variants equal bit for bit.
#include "kernels/launch.h"
#include "kernels/matvec/matvec.h"
#include "kernels/matvec/portable_q4k.h"
#include "kernels/matvec/weight_rows.h"
#include "kernels/ranges.h"

namespace assay {

static void matvec_q4k_portable(const MatvecArgs& args, Launch& launch) {
  for_ranges(launch, args.n, 16, [&](std::int64_t begin, std::int64_t end) {
    const WideRows x = widen_rows(args.xq, 0, 1, args.k);
    for (std::int64_t r = begin; r < end; ++r) {
      const auto* row = weight_row<BlockQ4K, 256>(args.weights, r, args.k);
      dot_q4k<1>(row, x, 0, args.k, args.y + r);
    }
  });
}

}  // namespace assay

ASSAY_VARIANT(matvec_q4k_cpu_portable, assay::MatvecArgs, assay::matvec_q4k_portable);
