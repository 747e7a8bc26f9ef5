// q6_K rows times interleaved activations with 512-bit vpdpbusd: kRows weight rows by kTokens
// tokens.
//
// As avx2_q6k.h, with the two halves of a 256-block side by side in one register; the sums start
// from the prepared offsets, so the code's 32 costs nothing.
#pragma once

#include "kernels/matvec/avx2_q6k.h"
#include "kernels/matvec/avx512vnni_q4k.h"

namespace assay {

static inline __m512i side_by_side(__m256i low, __m256i high) {
  return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

// out[r * kTokens + i] = rows[r] . x[i], both of `blocks` 256-blocks; x rows are `blocks` apart.
template <int kRows, int kTokens>
static inline void dot_q6k_vnni(const BlockQ6K* const* rows, const InterleavedBlock* x, int blocks,
                                float* out) {
  __m256 lanes[kRows][kTokens];
  for (auto& row : lanes) {
    for (__m256& lane : row) lane = _mm256_setzero_ps();
  }
  for (int b = 0; b < blocks; ++b) {
    for (int r = 0; r < kRows; ++r) {
      UnpackedQ6KAvx2 w;
      unpack_q6k_avx2(rows[r][b], w);
      __m512i codes[4];
      for (int i = 0; i < 4; ++i) codes[i] = side_by_side(w.words[0][i], w.words[1][i]);
      const __m512i scale = side_by_side(w.scale[0], w.scale[1]);
      for (int i = 0; i < kTokens; ++i) {
        const InterleavedBlock& block = x[i * blocks + b];
        const auto* q = reinterpret_cast<const __m512i*>(block.q);
        __m512i sums = _mm512_load_si512(block.offset);
        for (int c = 0; c < 4; ++c) sums = _mm512_dpbusd_epi32(sums, codes[c], q[c]);
        const __m256i dots = join_halves_512(_mm512_mullo_epi32(sums, scale));
        lanes[r][i] = add_terms_q6k(lanes[r][i], w.d, dots, block.d);
      }
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int i = 0; i < kTokens; ++i) out[r * kTokens + i] = sum_natural(lanes[r][i]);
  }
}

}  // namespace assay
