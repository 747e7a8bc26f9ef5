// q6_K rows times interleaved activations with AVX2: kRows weight rows by kTokens token rows.
//
// Codes stay unsigned (0..63) for the byte products; the offset of 32 comes off by the sums of 16
// activation codes that the interleaving prepared. 2 * 2 * 63 * 127 = 32,004 fits 16 bits, twice as
// much does not, so products are widened after two words. See avx2_q4k.h for kRows and kTokens.
#pragma once

#include "kernels/blocks.h"
#include "kernels/matvec/avx2_interleave.h"

namespace assay {

struct UnpackedQ6KAvx2 {
  __m256i words[2][4];  // per half of 128: transposed codes 0..63 of its four blocks
  __m256i scale[2];     // half L of the four blocks
  __m256 d;
};

static inline void unpack_q6k_avx2(const BlockQ6K& block, UnpackedQ6KAvx2& out) {
  const __m256i nibble = _mm256_set1_epi8(0x0f);
  const __m256i pair = _mm256_set1_epi8(0x30);
  const __m128i order = _mm_setr_epi8(0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15);
  const __m128i scales =
      _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(block.scales)), order);
  for (int half = 0; half < 2; ++half) {
    const __m256i low0 = load_256(block.low + half * 64);
    const __m256i low1 = load_256(block.low + half * 64 + 32);
    const __m256i high = load_256(block.high + half * 32);
    const __m256i in[4] = {_mm256_or_si256(_mm256_and_si256(low0, nibble),
                                           _mm256_and_si256(_mm256_slli_epi16(high, 4), pair)),
                           _mm256_or_si256(_mm256_and_si256(low1, nibble),
                                           _mm256_and_si256(_mm256_slli_epi16(high, 2), pair)),
                           _mm256_or_si256(_mm256_and_si256(_mm256_srli_epi16(low0, 4), nibble),
                                           _mm256_and_si256(high, pair)),
                           _mm256_or_si256(_mm256_and_si256(_mm256_srli_epi16(low1, 4), nibble),
                                           _mm256_and_si256(_mm256_srli_epi16(high, 2), pair))};
    transpose_words(in, out.words[half]);
  }
  out.scale[0] = _mm256_cvtepi8_epi32(scales);
  out.scale[1] = _mm256_cvtepi8_epi32(_mm_srli_si128(scales, 8));
  out.d = _mm256_set1_ps(_cvtsh_ss(block.d));
}

// Eight integers: scale_low * dot_low + scale_high * dot_high per block.
static inline __m256i dots_q6k_avx2(const UnpackedQ6KAvx2& w, const InterleavedBlock& x) {
  const auto* q = reinterpret_cast<const __m256i*>(x.q);
  const auto* offset = reinterpret_cast<const __m256i*>(x.offset);
  const __m256i ones = _mm256_set1_epi16(1);
  __m256i scaled[2];
  for (int half = 0; half < 2; ++half) {
    const __m256i* words = w.words[half];
    const __m256i first = _mm256_add_epi16(_mm256_maddubs_epi16(words[0], q[half]),
                                           _mm256_maddubs_epi16(words[1], q[2 + half]));
    const __m256i second = _mm256_add_epi16(_mm256_maddubs_epi16(words[2], q[4 + half]),
                                            _mm256_maddubs_epi16(words[3], q[6 + half]));
    const __m256i dots = _mm256_add_epi32(
        offset[half],
        _mm256_add_epi32(_mm256_madd_epi16(first, ones), _mm256_madd_epi16(second, ones)));
    scaled[half] = _mm256_mullo_epi32(dots, w.scale[half]);
  }
  return join_halves(scaled[0], scaled[1]);
}

// lanes + (w.d * dots) * d, each operation rounded by itself.
static inline __m256 add_terms_q6k(__m256 lanes, __m256 weight_d, __m256i dots, const float* d) {
  const __m256 scaled = _mm256_mul_ps(weight_d, _mm256_cvtepi32_ps(dots));
  return _mm256_add_ps(lanes, _mm256_mul_ps(scaled, _mm256_load_ps(d)));
}

// out[r * kTokens + i] = rows[r] . x[i], both of `blocks` 256-blocks; x rows are `blocks` apart.
template <int kRows, int kTokens>
static inline void dot_q6k_avx2(const BlockQ6K* const* rows, const InterleavedBlock* x, int blocks,
                                float* out) {
  __m256 lanes[kRows][kTokens];
  for (auto& row : lanes) {
    for (__m256& lane : row) lane = _mm256_setzero_ps();
  }
  for (int b = 0; b < blocks; ++b) {
    for (int r = 0; r < kRows; ++r) {
      UnpackedQ6KAvx2 w;
      unpack_q6k_avx2(rows[r][b], w);
      for (int i = 0; i < kTokens; ++i) {
        const InterleavedBlock& block = x[i * blocks + b];
        lanes[r][i] = add_terms_q6k(lanes[r][i], w.d, dots_q6k_avx2(w, block), block.d);
      }
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int i = 0; i < kTokens; ++i) out[r * kTokens + i] = sum_natural(lanes[r][i]);
  }
}

}  // namespace assay
