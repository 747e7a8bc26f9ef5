// matvec_bf16 in plain C++: the definition that the other variants equal bit for bit.
#include "kernels/launch.h"
#include "kernels/matvec/matvec.h"
#include "kernels/matvec/portable_float.h"
#include "kernels/matvec/weight_rows.h"
#include "kernels/ranges.h"

namespace assay {

static void matvec_bf16_portable(const MatvecArgs& args, Launch& launch) {
  for_ranges(launch, args.n, 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      const auto* row = weight_row<Bfloat16, 1>(args.weights, r, args.k);
      args.y[r] = dot_float(row, args.x, args.k);
    }
  });
}

}  // namespace assay

ASSAY_VARIANT(matvec_bf16_cpu_portable, assay::MatvecArgs, assay::matvec_bf16_portable);
