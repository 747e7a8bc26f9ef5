// q4_K rows times interleaved activations with AVX2: kRows weight rows by kTokens token rows.
//
// Unpacking a 256-block takes about as long as multiplying it with one token row, so matmul shares
// an unpacked block among kTokens rows. Sixteen-bit sums cannot overflow: 4 * 2 * 15 * 127 =
// 15,240.
#pragma once

#include "kernels/matvec/avx2_interleave.h"
#include "kernels/matvec/q4k_scales_avx2.h"

namespace assay {

struct UnpackedQ4KAvx2 {
  __m256i words[4];  // transposed bytes: low nibbles blocks 0,2,4,6, high nibbles 1,3,5,7
  ScalesQ4K scales;
};

static inline void unpack_q4k_avx2(const BlockQ4K& block, UnpackedQ4KAvx2& out) {
  const __m256i in[4] = {load_256(block.q), load_256(block.q + 32), load_256(block.q + 64),
                         load_256(block.q + 96)};
  transpose_words(in, out.words);
  out.scales = read_scales_q4k(block);
}

static inline __m256i dots_q4k_avx2(const __m256i low[4], const __m256i high[4],
                                    const InterleavedBlock& x) {
  const auto* q = reinterpret_cast<const __m256i*>(x.q);
  __m256i even = _mm256_maddubs_epi16(low[0], q[0]);
  __m256i odd = _mm256_maddubs_epi16(high[0], q[1]);
  for (int i = 1; i < 4; ++i) {
    even = _mm256_add_epi16(even, _mm256_maddubs_epi16(low[i], q[2 * i]));
    odd = _mm256_add_epi16(odd, _mm256_maddubs_epi16(high[i], q[2 * i + 1]));
  }
  const __m256i ones = _mm256_set1_epi16(1);
  return join_halves(_mm256_madd_epi16(even, ones), _mm256_madd_epi16(odd, ones));
}

// out[r * kTokens + i] = rows[r] . x[i], both of `blocks` 256-blocks; x rows are `blocks` apart.
template <int kRows, int kTokens>
static inline void dot_q4k_avx2(const BlockQ4K* const* rows, const InterleavedBlock* x, int blocks,
                                float* out) {
  const __m256i nibble = _mm256_set1_epi8(0x0f);
  __m256 lanes[kRows][kTokens];
  for (auto& row : lanes) {
    for (__m256& lane : row) lane = _mm256_setzero_ps();
  }
  for (int b = 0; b < blocks; ++b) {
    for (int r = 0; r < kRows; ++r) {
      UnpackedQ4KAvx2 w;
      unpack_q4k_avx2(rows[r][b], w);
      __m256i low[4];
      __m256i high[4];
      for (int i = 0; i < 4; ++i) {
        low[i] = _mm256_and_si256(w.words[i], nibble);
        high[i] = _mm256_and_si256(_mm256_srli_epi16(w.words[i], 4), nibble);
      }
      for (int i = 0; i < kTokens; ++i) {
        const InterleavedBlock& block = x[i * blocks + b];
        lanes[r][i] = add_terms_q4k(lanes[r][i], w.scales, dots_q4k_avx2(low, high, block),
                                    block.sum, block.d);
      }
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int i = 0; i < kTokens; ++i) out[r * kTokens + i] = sum_even_odd(lanes[r][i]);
  }
}

}  // namespace assay
