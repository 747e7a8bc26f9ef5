// The loops of matvec and matmul in plain C++: quantised types over dot_wide (portable_blocks.h, or
// the type's own header), float types over dot_float.
#pragma once

#include "kernels/matmul/tiles.h"
#include "kernels/matvec/matvec.h"
#include "kernels/matvec/portable_float.h"
#include "kernels/matvec/weight_rows.h"
#include "kernels/matvec/wide_activations.h"

namespace assay {

template <typename Block>
inline void run_portable_matvec(const MatvecArgs& args, Launch& launch) {
  for_ranges(launch, args.n, 16, [&](std::int64_t begin, std::int64_t end) {
    const WideRows x = widen_rows(args.xq, 0, 1, args.k);
    for (std::int64_t r = begin; r < end; ++r) {
      dot_wide<1>(weight_row<Block>(args.weights, r, args.k), x, 0, args.k, args.y + r);
    }
  });
}

// kTokens token rows share one unpacked block.
template <typename Block, int kTokens>
inline void run_portable_matmul(const MatmulArgs& args, Launch& launch) {
  for_tiles(args, launch, [&](int row, int end_row, int token, int end_token) {
    const WideRows x = widen_rows(args.xq, token, end_token, args.k);
    const int count = end_token - token;
    float out[kTokens];
    for (int r = row; r < end_row; ++r) {
      const auto* weights = weight_row<Block>(args.weights, r, args.k);
      float* y = args.y + static_cast<std::int64_t>(token) * args.n + r;
      int i = 0;
      for (; i + kTokens <= count; i += kTokens) {
        dot_wide<kTokens>(weights, x, i, args.k, out);
        for (int c = 0; c < kTokens; ++c) y[static_cast<std::int64_t>(i + c) * args.n] = out[c];
      }
      for (; i < count; ++i) {
        dot_wide<1>(weights, x, i, args.k, y + static_cast<std::int64_t>(i) * args.n);
      }
    }
  });
}

template <typename Weight>
inline void run_portable_float_matvec(const MatvecArgs& args, Launch& launch) {
  for_ranges(launch, args.n, 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      args.y[r] = dot_float(weight_row<Weight>(args.weights, r, args.k), args.x, args.k);
    }
  });
}

template <typename Weight>
inline void run_portable_float_matmul(const MatmulArgs& args, Launch& launch) {
  for_tiles(args, launch, [&](int row, int end_row, int token, int end_token) {
    for (int r = row; r < end_row; ++r) {
      const auto* weights = weight_row<Weight>(args.weights, r, args.k);
      for (int i = token; i < end_token; ++i) {
        args.y[static_cast<std::int64_t>(i) * args.n + r] =
            dot_float(weights, args.x + static_cast<std::int64_t>(i) * args.k, args.k);
      }
    }
  });
}

}  // namespace assay
