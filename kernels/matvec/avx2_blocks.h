// Rows of any format of avx2_formats.h times one row of quantised activations, eight 32-blocks at a
// time. For AVX2 and AVX-512 files only.
//
// The eight integer dots lie in eight lanes, which are the contract's partial sums. A row whose
// blocks are no multiple of eight reads on into the next row; there the scales are masked to zero
// and the activations padded with zeros, and adding +0 to a sum that began at +0 changes no bit.
// Where the matrix ends before eight blocks, they are completed in a buffer. Eight::dots says
// how unsigned codes meet signed ones.
#pragma once

#include "kernels/matvec/avx2_formats.h"
#include "kernels/matvec/matvec.h"
#include "kernels/matvec/weight_rows.h"
#include "kernels/ranges.h"

namespace assay {
namespace {

// Eight 32-blocks of activations.
struct EightBlocks {
  const std::int8_t* q;     // (256)
  const float* d;           // (8)
  const std::int16_t* sum;  // (8)
};

// The last blocks of a row of activations, and zeros.
struct PaddedTail {
  alignas(64) std::int8_t q[256] = {};
  alignas(32) float d[8] = {};
  alignas(16) std::int16_t sum[8] = {};

  PaddedTail(const QuantizedRows& x, int begin, int count) {
    __builtin_memcpy(q, x.q + begin * 32, static_cast<std::size_t>(count) * 32);
    __builtin_memcpy(d, x.d + begin, static_cast<std::size_t>(count) * 4);
    __builtin_memcpy(sum, x.sum + begin, static_cast<std::size_t>(count) * 2);
  }
  EightBlocks blocks() const { return {q, d, sum}; }
};

// lanes + the terms of eight blocks from b on, those from `count` on being zero.
template <typename Format, typename Eight>
inline __m256 add_terms(__m256 lanes, const typename Format::Block* row, int b, int count,
                        const EightBlocks& x) {
  const EightScales scales = Format::scales(row, b, count);
  const __m256i sums =
      _mm256_cvtepi16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x.sum)));
  __m256i dots = Eight::template dots<Format>(row, b, x.q);
  if (Format::kOffset != 0) {
    const __m256i factor = _mm256_set1_epi32(Format::kOffset);
    dots = _mm256_sub_epi32(dots, _mm256_mullo_epi32(sums, factor));
  }
  __m256 term = _mm256_mul_ps(scales.scale, _mm256_cvtepi32_ps(dots));
  if (Format::kMin) {
    term = _mm256_sub_ps(term, _mm256_mul_ps(scales.offset, _mm256_cvtepi32_ps(sums)));
  }
  return _mm256_add_ps(lanes, _mm256_mul_ps(term, _mm256_loadu_ps(x.d)));
}

// The lines of eight blocks, `ahead` bytes further on.
template <typename Block>
inline void ask_ahead(const Block* blocks, int ahead) {
  constexpr int kBytes = static_cast<int>(sizeof(Block)) * 256 / kBlockElements<Block>;
  const char* from = reinterpret_cast<const char*>(blocks) + ahead;
  for (int at = 0; at < kBytes; at += 64) _mm_prefetch(from + at, _MM_HINT_T0);
}

}  // namespace

// kAhead > 0: the weights that many bytes ahead are asked for, across the ends of rows.
template <typename Format, typename Eight, int kAhead = 0>
static void run_blocks_matvec(const MatvecArgs& args, Launch& launch) {
  using Block = typename Format::Block;
  const int blocks = args.k / 32;
  const int whole = blocks / 8 * 8;
  for_ranges(launch, args.n, 16, [&](std::int64_t begin, std::int64_t end) {
    const PaddedTail tail(args.xq, whole, blocks - whole);
    for (std::int64_t r = begin; r < end; ++r) {
      const Block* row = weight_row<Block>(args.weights, r, args.k);
      __m256 lanes = _mm256_setzero_ps();
      for (int b = 0; b < whole; b += 8) {
        const EightBlocks x{args.xq.q + b * 32, args.xq.d + b, args.xq.sum + b};
        if (kAhead > 0) ask_ahead<Block>(row + b * 32 / kBlockElements<Block>, kAhead);
        lanes = add_terms<Format, Eight>(lanes, row, b, 8, x);
      }
      const bool eight_there = (args.n - r) * blocks - whole >= 8;
      if (whole < blocks && eight_there) {
        lanes = add_terms<Format, Eight>(lanes, row, whole, blocks - whole, tail.blocks());
      } else if (whole < blocks) {
        Block last[8] = {};
        __builtin_memcpy(last, row + whole,
                         sizeof(Block) * static_cast<std::size_t>(blocks - whole));
        lanes = add_terms<Format, Eight>(lanes, last, 0, blocks - whole, tail.blocks());
      }
      args.y[r] = sum_natural(lanes);
    }
  });
}

}  // namespace assay
