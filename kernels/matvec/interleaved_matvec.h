// The loop of a matvec over 256-block rows with interleaved activations. For AVX2 and AVX-512
// files.
#pragma once

#include "kernels/matvec/avx2_interleave.h"
#include "kernels/matvec/matvec.h"
#include "kernels/ranges.h"

namespace assay {

// Dot names the block type, the order of sets (kEvenOdd), and run<kRows, kTokens>. It must have
// internal linkage, so that nothing of it is shared with files for other processors.
template <typename Dot, int kRows>
static void run_interleaved_matvec(const MatvecArgs& args, Launch& launch) {
  for_ranges(launch, args.n, 16, [&](std::int64_t begin, std::int64_t end) {
    const int blocks = args.k / 256;
    auto* x = static_cast<InterleavedBlock*>(
        thread_scratch(static_cast<std::int64_t>(sizeof(InterleavedBlock)) * blocks));
    interleave_rows<Dot::kEvenOdd>(args.xq, 0, 1, args.k, x);
    const auto* weights = static_cast<const typename Dot::Block*>(args.weights);
    const typename Dot::Block* rows[kRows];
    std::int64_t r = begin;
    for (; r + kRows <= end; r += kRows) {
      for (int i = 0; i < kRows; ++i) rows[i] = weights + (r + i) * blocks;
      Dot::template run<kRows, 1>(rows, x, blocks, args.y + r);
    }
    for (; r < end; ++r) {
      rows[0] = weights + r * blocks;
      Dot::template run<1, 1>(rows, x, blocks, args.y + r);
    }
  });
}

}  // namespace assay
