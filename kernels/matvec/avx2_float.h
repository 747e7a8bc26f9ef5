// f32, f16 and bf16 rows times f32 activations with AVX2: kRows weight rows by kTokens token rows.
//
// The contract fixes one chain of additions per lane, so a single row waits for each addition;
// several chains in flight, from rows or from tokens, fill the wait.
#pragma once

#include "kernels/matmul/tiles.h"
#include "kernels/matvec/avx2_interleave.h"
#include "kernels/matvec/bfloat16.h"
#include "kernels/matvec/matvec.h"

namespace assay {

static inline __m256 load_eight(const float* w) {
  return _mm256_loadu_ps(w);
}
static inline __m256 load_eight(const std::uint16_t* w) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(w)));
}
static inline __m256 load_eight(const Bfloat16* w) {
  const __m256i wide = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(w)));
  return _mm256_castsi256_ps(_mm256_slli_epi32(wide, 16));
}

// out[r * kTokens + i] = rows[r] . x[i]; x rows are k apart; k a multiple of 8.
template <int kRows, int kTokens, typename Weight>
static inline void dot_float_avx2(const Weight* const* rows, const float* x, int k, float* out) {
  __m256 lanes[kRows][kTokens];
  for (auto& row : lanes) {
    for (__m256& lane : row) lane = _mm256_setzero_ps();
  }
  for (int c = 0; c < k; c += 8) {
    for (int r = 0; r < kRows; ++r) {
      const __m256 w = load_eight(rows[r] + c);
      for (int i = 0; i < kTokens; ++i) {
        const __m256 product =
            _mm256_mul_ps(w, _mm256_loadu_ps(x + static_cast<std::int64_t>(i) * k + c));
        lanes[r][i] = _mm256_add_ps(lanes[r][i], product);
      }
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int i = 0; i < kTokens; ++i) out[r * kTokens + i] = sum_natural(lanes[r][i]);
  }
}

// Eight weight rows in flight.
template <typename Weight>
static void run_float_matvec(const MatvecArgs& args, Launch& launch) {
  constexpr int kRows = 8;
  for_ranges(launch, args.n, 16, [&](std::int64_t begin, std::int64_t end) {
    const auto* weights = static_cast<const Weight*>(args.weights);
    const Weight* rows[kRows];
    std::int64_t r = begin;
    for (; r + kRows <= end; r += kRows) {
      for (int i = 0; i < kRows; ++i) rows[i] = weights + (r + i) * args.k;
      dot_float_avx2<kRows, 1>(rows, args.x, args.k, args.y + r);
    }
    for (; r < end; ++r) {
      rows[0] = weights + r * args.k;
      dot_float_avx2<1, 1>(rows, args.x, args.k, args.y + r);
    }
  });
}

// y[token + i][r] for kTokens token rows.
template <int kTokens, typename Weight>
static void float_token_group(const MatmulArgs& args, int r, int token) {
  const Weight* row =
      static_cast<const Weight*>(args.weights) + static_cast<std::int64_t>(r) * args.k;
  float out[kTokens];
  dot_float_avx2<1, kTokens>(&row, args.x + static_cast<std::int64_t>(token) * args.k, args.k, out);
  for (int i = 0; i < kTokens; ++i) {
    args.y[static_cast<std::int64_t>(token + i) * args.n + r] = out[i];
  }
}

template <typename Weight, int kTokens>
static void run_float_matmul(const MatmulArgs& args, Launch& launch) {
  for_tiles(args, launch, [&](int row, int end_row, int token, int end_token) {
    for (int r = row; r < end_row; ++r) {
      int i = token;
      for (; i + kTokens <= end_token; i += kTokens) float_token_group<kTokens, Weight>(args, r, i);
      for (; i < end_token; ++i) float_token_group<1, Weight>(args, r, i);
    }
  });
}

}  // namespace assay
