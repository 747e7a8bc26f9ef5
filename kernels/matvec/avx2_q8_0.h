// q8_0 rows times quantised activations, eight 32-blocks at a time. For AVX2 and AVX-512 files
// only.
//
// One register per block holds the products' partial sums; three levels of pairwise additions bring
// the sums of eight blocks into the eight lanes. Blocks beyond the end count as zero: adding +0 to
// a partial sum changes no bit, because a sum that starts from +0 is never -0. The caller's
// kProducts says how signed bytes are multiplied.
#pragma once

#include "kernels/blocks.h"
#include "kernels/matvec/avx2_interleave.h"

namespace assay {

// Four-byte sums of w * x with AVX2: |w| * sign(w) x, so that one factor is unsigned. 2 * 128 * 127
// = 32,512 fits 16 bits.
static inline __m256i products_q8_0_avx2(__m256i w, __m256i x) {
  const __m256i pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(w), _mm256_sign_epi8(x, w));
  return _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
}

static inline __m256i sum_eight(const __m256i p[8]) {
  const __m256i low =
      _mm256_hadd_epi32(_mm256_hadd_epi32(p[0], p[1]), _mm256_hadd_epi32(p[2], p[3]));
  const __m256i high =
      _mm256_hadd_epi32(_mm256_hadd_epi32(p[4], p[5]), _mm256_hadd_epi32(p[6], p[7]));
  return join_halves(low, high);
}

using ProductsQ8_0 = __m256i (*)(__m256i w, __m256i x);

// lanes + terms of `count` (1..8) blocks. x (count * 32), d (count).
template <ProductsQ8_0 kProducts>
static inline __m256 add_terms_q8_0(__m256 lanes, const BlockQ8_0* blocks, __m256 weight_d,
                                    const std::int8_t* x, const float* d, int count) {
  __m256i p[8];
  __m256 x_d;
  if (count == 8) {
    for (int j = 0; j < 8; ++j) p[j] = kProducts(load_256(blocks[j].q), load_256(x + 32 * j));
    x_d = _mm256_loadu_ps(d);
  } else {
    alignas(32) float some[8] = {};
    for (int j = 0; j < 8; ++j) {
      p[j] = _mm256_setzero_si256();
      if (j >= count) continue;
      p[j] = kProducts(load_256(blocks[j].q), load_256(x + 32 * j));
      some[j] = d[j];
    }
    x_d = _mm256_load_ps(some);
  }
  const __m256 scaled = _mm256_mul_ps(weight_d, _mm256_cvtepi32_ps(sum_eight(p)));
  return _mm256_add_ps(lanes, _mm256_mul_ps(scaled, x_d));
}

static inline __m256 scales_q8_0(const BlockQ8_0* blocks, int count) {
  alignas(16) std::uint16_t half[8] = {};
  for (int j = 0; j < 8; ++j) half[j] = j < count ? blocks[j].d : std::uint16_t{0};
  return _mm256_cvtph_ps(_mm_load_si128(reinterpret_cast<const __m128i*>(half)));
}

// out[i] = row . xq[first + i] for kTokens token rows.
template <ProductsQ8_0 kProducts, int kTokens>
static inline void dot_q8_0_tokens(const BlockQ8_0* row, const QuantizedRows& xq, int first, int k,
                                   float* out) {
  __m256 lanes[kTokens];
  for (__m256& lane : lanes) lane = _mm256_setzero_ps();
  for (int b = 0; b < k / 32; b += 8) {
    const int count = k / 32 - b < 8 ? k / 32 - b : 8;
    const __m256 weight_d = scales_q8_0(row + b, count);
    for (int i = 0; i < kTokens; ++i) {
      const std::int64_t at = static_cast<std::int64_t>(first + i) * k + b * 32;
      lanes[i] =
          add_terms_q8_0<kProducts>(lanes[i], row + b, weight_d, xq.q + at, xq.d + at / 32, count);
    }
  }
  for (int i = 0; i < kTokens; ++i) out[i] = sum_natural(lanes[i]);
}

}  // namespace assay
