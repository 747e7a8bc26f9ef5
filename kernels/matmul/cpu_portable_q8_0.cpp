// matmul_q8_0 in plain C++: matvec's chain for each token row.
#include "kernels/launch.h"
#include "kernels/matmul/tiles.h"
#include "kernels/matvec/portable_q8_0.h"
#include "kernels/matvec/weight_rows.h"

namespace assay {

static void matmul_q8_0_portable(const MatmulArgs& args, Launch& launch) {
  for_tiles(args, launch, [&](int row, int end_row, int token, int end_token) {
    for (int r = row; r < end_row; ++r) {
      const auto* weights = weight_row<BlockQ8_0>(args.weights, r, args.k);
      for (int i = token; i < end_token; ++i) {
        args.y[static_cast<std::int64_t>(i) * args.n + r] = dot_q8_0(weights, args.xq, i, args.k);
      }
    }
  });
}

}  // namespace assay

ASSAY_VARIANT(matmul_q8_0_cpu_portable, assay::MatmulArgs, assay::matmul_q8_0_portable);
