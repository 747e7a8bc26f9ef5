// matmul_q8_0 with AVX2. `tokens` token rows share the scales of a weight row and its loads; the
// arithmetic is matvec/avx2_q8_0.h.
#include "kernels/launch.h"
#include "kernels/matmul/tiles.h"
#include "kernels/matvec/avx2_q8_0.h"
#include "kernels/matvec/weight_rows.h"

namespace assay {

// y[token + i][r] for kTokens token rows.
template <int kTokens>
static void token_group(const MatmulArgs& args, int r, int token) {
  float out[kTokens];
  dot_q8_0_tokens<products_q8_0_avx2, kTokens>(weight_row<BlockQ8_0>(args.weights, r, args.k),
                                               args.xq, token, args.k, out);
  for (int i = 0; i < kTokens; ++i) {
    args.y[static_cast<std::int64_t>(token + i) * args.n + r] = out[i];
  }
}

template <int kTokens>
static void matmul_q8_0_avx2(const MatmulArgs& args, Launch& launch) {
  for_tiles(args, launch, [&](int row, int end_row, int token, int end_token) {
    for (int r = row; r < end_row; ++r) {
      int i = token;
      for (; i + kTokens <= end_token; i += kTokens) token_group<kTokens>(args, r, i);
      for (; i < end_token; ++i) token_group<1>(args, r, i);
    }
  });
}

}  // namespace assay

ASSAY_VARIANT(matmul_q8_0_cpu_avx2_tokens4, assay::MatmulArgs, assay::matmul_q8_0_avx2<4>);
