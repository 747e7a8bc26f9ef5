// matmul_q4k in plain C++.
//
// `tokens` is the number of token rows that share one unpacked weight block; the price is eight
// partial sums per row that must stay in the first cache level. With SSE2 code on an AMD EPYC of
// family 26, one thread, n = 1024, k = 512, t = 64, four and eight tokens are 1.3 and 1.6 times as
// fast as one.
#include "kernels/launch.h"
#include "kernels/matmul/tiles.h"
#include "kernels/matvec/portable_q4k.h"
#include "kernels/matvec/weight_rows.h"

namespace assay {

template <int kTokens>
static void matmul_q4k_portable(const MatmulArgs& args, Launch& launch) {
  for_tiles(args, launch, [&](int row, int end_row, int token, int end_token) {
    const WideRows x = widen_rows(args.xq, token, end_token, args.k);
    const int count = end_token - token;
    float out[kTokens];
    for (int r = row; r < end_row; ++r) {
      const auto* weights = weight_row<BlockQ4K, 256>(args.weights, r, args.k);
      float* y = args.y + static_cast<std::int64_t>(token) * args.n + r;
      int i = 0;
      for (; i + kTokens <= count; i += kTokens) {
        dot_q4k<kTokens>(weights, x, i, args.k, out);
        for (int c = 0; c < kTokens; ++c) y[static_cast<std::int64_t>(i + c) * args.n] = out[c];
      }
      for (; i < count; ++i) {
        dot_q4k<1>(weights, x, i, args.k, y + static_cast<std::int64_t>(i) * args.n);
      }
    }
  });
}

}  // namespace assay

ASSAY_VARIANT(matmul_q4k_cpu_portable_tokens1, assay::MatmulArgs, assay::matmul_q4k_portable<1>);
ASSAY_VARIANT(matmul_q4k_cpu_portable_tokens4, assay::MatmulArgs, assay::matmul_q4k_portable<4>);
ASSAY_VARIANT(matmul_q4k_cpu_portable_tokens8, assay::MatmulArgs, assay::matmul_q4k_portable<8>);
