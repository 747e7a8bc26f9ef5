// matmul_q6k in plain C++.
//
// `tokens` is the number of token rows that share one unpacked weight block. Unpacking costs about
// as much as one row's products, so sharing it among four rows removes most of it; the price is
// eight partial sums per row that must stay in registers or the first cache level.
#include "kernels/launch.h"
#include "kernels/matmul/tiles.h"
#include "kernels/matvec/portable_q6k.h"
#include "kernels/matvec/weight_rows.h"

namespace assay {

// y[token + i][r] for kTokens token rows.
template <int kTokens>
static void token_group_q6k(const MatmulArgs& args, int r, int token) {
  float out[kTokens];
  dot_q6k<kTokens>(weight_row<BlockQ6K, 256>(args.weights, r, args.k), args.xq, token, args.k, out);
  for (int i = 0; i < kTokens; ++i) {
    args.y[static_cast<std::int64_t>(token + i) * args.n + r] = out[i];
  }
}

template <int kTokens>
static void matmul_q6k_portable(const MatmulArgs& args, Launch& launch) {
  for_tiles(args, launch, [&](int row, int end_row, int token, int end_token) {
    for (int r = row; r < end_row; ++r) {
      int i = token;
      for (; i + kTokens <= end_token; i += kTokens) token_group_q6k<kTokens>(args, r, i);
      for (; i < end_token; ++i) token_group_q6k<1>(args, r, i);
    }
  });
}

}  // namespace assay

ASSAY_VARIANT(matmul_q6k_cpu_portable_tokens1, assay::MatmulArgs, assay::matmul_q6k_portable<1>);
ASSAY_VARIANT(matmul_q6k_cpu_portable_tokens4, assay::MatmulArgs, assay::matmul_q6k_portable<4>);
