// q4_K rows times interleaved activations with 512-bit vpdpbusd: kRows weight rows by kTokens
// tokens.
//
// As avx2_q4k.h, with both sets of four blocks side by side in one register and the products of
// four bytes summed by the instruction itself: 4 instructions per 256 weights instead of 22.
#pragma once

#include "kernels/matvec/avx2_interleave.h"
#include "kernels/matvec/avx512vnni_sums.h"
#include "kernels/matvec/q4k_scales_avx2.h"

namespace assay {

static inline void unpack_q4k_vnni(const BlockQ4K& block, __m512i codes[4]) {
  const __m256i in[4] = {load_256(block.q), load_256(block.q + 32), load_256(block.q + 64),
                         load_256(block.q + 96)};
  __m256i words[4];
  transpose_words(in, words);
  const __m512i nibble = _mm512_set1_epi8(0x0f);
  for (int i = 0; i < 4; ++i) {
    const __m512i both =
        _mm512_inserti64x4(_mm512_castsi256_si512(words[i]), _mm256_srli_epi16(words[i], 4), 1);
    codes[i] = _mm512_and_si512(both, nibble);
  }
}

// out[r * kTokens + i] = rows[r] . x[i], both of `blocks` 256-blocks; x rows are `blocks` apart.
template <int kRows, int kTokens>
static inline void dot_q4k_vnni(const BlockQ4K* const* rows, const InterleavedBlock* x, int blocks,
                                float* out) {
  __m256 lanes[kRows][kTokens];
  for (auto& row : lanes) {
    for (__m256& lane : row) lane = _mm256_setzero_ps();
  }
  for (int b = 0; b < blocks; ++b) {
    for (int r = 0; r < kRows; ++r) {
      __m512i codes[4];
      unpack_q4k_vnni(rows[r][b], codes);
      const ScalesQ4K scales = read_scales_q4k(rows[r][b]);
      for (int i = 0; i < kTokens; ++i) {
        const InterleavedBlock& block = x[i * blocks + b];
        const auto* q = reinterpret_cast<const __m512i*>(block.q);
        __m512i sums = _mm512_dpbusd_epi32(_mm512_setzero_si512(), codes[0], q[0]);
        for (int w = 1; w < 4; ++w) sums = _mm512_dpbusd_epi32(sums, codes[w], q[w]);
        lanes[r][i] = add_terms_q4k(lanes[r][i], scales, join_halves_512(sums), block.sum, block.d);
      }
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int i = 0; i < kTokens; ++i) out[r * kTokens + i] = sum_even_odd(lanes[r][i]);
  }
}

}  // namespace assay
