// The loops of matvec and matmul in plain C++ over dot_blocks.
#pragma once

#include "kernels/matmul/tiles.h"
#include "kernels/matvec/matvec.h"
#include "kernels/matvec/portable_blocks.h"
#include "kernels/matvec/weight_rows.h"

namespace assay {

template <typename Block, bool kOffset, int kElements>
inline void run_portable_matvec(const MatvecArgs& args, Launch& launch) {
  for_ranges(launch, args.n, 16, [&](std::int64_t begin, std::int64_t end) {
    const WideRows x = widen_rows(args.xq, 0, 1, args.k);
    for (std::int64_t r = begin; r < end; ++r) {
      const auto* row = weight_row<Block, kElements>(args.weights, r, args.k);
      dot_blocks<kOffset, kElements, 1>(row, x, 0, args.k, args.y + r);
    }
  });
}

// kTokens token rows share one unpacked block.
template <typename Block, bool kOffset, int kElements, int kTokens>
inline void run_portable_matmul(const MatmulArgs& args, Launch& launch) {
  for_tiles(args, launch, [&](int row, int end_row, int token, int end_token) {
    const WideRows x = widen_rows(args.xq, token, end_token, args.k);
    const int count = end_token - token;
    float out[kTokens];
    for (int r = row; r < end_row; ++r) {
      const auto* weights = weight_row<Block, kElements>(args.weights, r, args.k);
      float* y = args.y + static_cast<std::int64_t>(token) * args.n + r;
      int i = 0;
      for (; i + kTokens <= count; i += kTokens) {
        dot_blocks<kOffset, kElements, kTokens>(weights, x, i, args.k, out);
        for (int c = 0; c < kTokens; ++c) y[static_cast<std::int64_t>(i + c) * args.n] = out[c];
      }
      for (; i < count; ++i) {
        dot_blocks<kOffset, kElements, 1>(weights, x, i, args.k,
                                          y + static_cast<std::int64_t>(i) * args.n);
      }
    }
  });
}

}  // namespace assay
