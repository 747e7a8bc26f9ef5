// f32, f16 and bf16 rows times f32 activations with AVX2: kRows weight rows by kTokens token rows.
//
// The contract fixes one chain of additions per lane, so a single row waits for each addition;
// several chains in flight, from rows or from tokens, fill the wait.
#pragma once

#include "kernels/matvec/avx2_interleave.h"
#include "kernels/matvec/bfloat16.h"

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

}  // namespace assay
