// The loops of a matmul over 256-block rows with interleaved activations. For AVX2 and AVX-512
// files.
//
// A thread takes a range of weight rows; for each run of kTokenRun tokens it interleaves the
// activations once and passes all its rows over them. Work per output does not depend on the cut.
#pragma once

#include "kernels/matmul/matmul.h"
#include "kernels/matvec/avx2_interleave.h"
#include "kernels/ranges.h"

namespace assay {

inline constexpr int kTokenRun = 32;  // a multiple of every kTokens

// Dot as in interleaved_matvec.h. kTokens token rows share one unpacked weight block.
template <typename Dot, int kTokens>
static void run_interleaved_matmul(const MatmulArgs& args, Launch& launch) {
  for_ranges(launch, args.n, 16, [&](std::int64_t begin, std::int64_t end) {
    const int blocks = args.k / 256;
    const auto* weights = static_cast<const typename Dot::Block*>(args.weights);
    const int run = args.t < kTokenRun ? args.t : kTokenRun;
    auto* x = static_cast<InterleavedBlock*>(
        thread_scratch(static_cast<std::int64_t>(sizeof(InterleavedBlock)) * blocks * run));
    float out[kTokens];
    for (int token = 0; token < args.t; token += kTokenRun) {
      const int count = args.t - token < kTokenRun ? args.t - token : kTokenRun;
      interleave_rows<Dot::kEvenOdd>(args.xq, token, token + count, args.k, x);
      for (std::int64_t r = begin; r < end; ++r) {
        const typename Dot::Block* row = weights + r * blocks;
        float* y = args.y + static_cast<std::int64_t>(token) * args.n + r;
        int i = 0;
        for (; i + kTokens <= count; i += kTokens) {
          Dot::template run<1, kTokens>(&row, x + static_cast<std::int64_t>(i) * blocks, blocks,
                                        out);
          for (int c = 0; c < kTokens; ++c) y[static_cast<std::int64_t>(i + c) * args.n] = out[c];
        }
        for (; i < count; ++i) {
          Dot::template run<1, 1>(&row, x + static_cast<std::int64_t>(i) * blocks, blocks,
                                  y + static_cast<std::int64_t>(i) * args.n);
        }
      }
    }
  });
}

}  // namespace assay
