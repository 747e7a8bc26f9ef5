// matmul_bf16 with AVX2. `tokens` token rows share one load of the weights, and their chains of
// additions overlap; the arithmetic is matvec/avx2_float.h.
#include "kernels/launch.h"
#include "kernels/matmul/tiles.h"
#include "kernels/matvec/avx2_float.h"

namespace assay {

// y[token + i][r] for kTokens token rows.
template <int kTokens>
static void token_group(const MatmulArgs& args, int r, int token) {
  const Bfloat16* row =
      static_cast<const Bfloat16*>(args.weights) + static_cast<std::int64_t>(r) * args.k;
  float out[kTokens];
  dot_float_avx2<1, kTokens>(&row, args.x + static_cast<std::int64_t>(token) * args.k, args.k, out);
  for (int i = 0; i < kTokens; ++i) {
    args.y[static_cast<std::int64_t>(token + i) * args.n + r] = out[i];
  }
}

template <int kTokens>
static void matmul_bf16_avx2(const MatmulArgs& args, Launch& launch) {
  for_tiles(args, launch, [&](int row, int end_row, int token, int end_token) {
    for (int r = row; r < end_row; ++r) {
      int i = token;
      for (; i + kTokens <= end_token; i += kTokens) token_group<kTokens>(args, r, i);
      for (; i < end_token; ++i) token_group<1>(args, r, i);
    }
  });
}

}  // namespace assay

ASSAY_VARIANT(matmul_bf16_cpu_avx2_tokens8, assay::MatmulArgs, assay::matmul_bf16_avx2<8>);
