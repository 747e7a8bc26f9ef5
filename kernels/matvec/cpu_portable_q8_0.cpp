// matvec_q8_0 in plain C++: the definition that the other variants equal bit for bit.
#include "kernels/launch.h"
#include "kernels/matvec/matvec.h"
#include "kernels/matvec/portable_q8_0.h"
#include "kernels/matvec/weight_rows.h"
#include "kernels/ranges.h"

namespace assay {

static void matvec_q8_0_portable(const MatvecArgs& args, Launch& launch) {
  for_ranges(launch, args.n, 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      const auto* row = weight_row<BlockQ8_0>(args.weights, r, args.k);
      args.y[r] = dot_q8_0(row, args.xq, 0, args.k);
    }
  });
}

}  // namespace assay

ASSAY_VARIANT(matvec_q8_0_cpu_portable, assay::MatvecArgs, assay::matvec_q8_0_portable);
