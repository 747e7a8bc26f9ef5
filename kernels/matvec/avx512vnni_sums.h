// Four-byte sums of eight 32-blocks, two blocks to a register, brought together. For AVX-512 files.
#pragma once

#include <immintrin.h>

namespace assay {

// p[i]: eight sums of block 2 i, then eight of block 2 i + 1 -> per 128-bit lane, sums over four of
// them: blocks 0,2,4,6 first half, the same second half, blocks 1,3,5,7 first half, second half.
static inline __m512i quarter_sums(const __m512i p[4]) {
  const __m512i p01 =
      _mm512_add_epi32(_mm512_unpacklo_epi32(p[0], p[1]), _mm512_unpackhi_epi32(p[0], p[1]));
  const __m512i p23 =
      _mm512_add_epi32(_mm512_unpacklo_epi32(p[2], p[3]), _mm512_unpackhi_epi32(p[2], p[3]));
  return _mm512_add_epi32(_mm512_unpacklo_epi64(p01, p23), _mm512_unpackhi_epi64(p01, p23));
}

// 512-bit lanes (set 0 half 0, set 0 half 1, set 1 half 0, set 1 half 1) -> 8 block sums.
static inline __m256i join_halves_512(__m512i sums) {
  const __m512i apart = _mm512_shuffle_i32x4(sums, sums, _MM_SHUFFLE(3, 1, 2, 0));
  return _mm256_add_epi32(_mm512_castsi512_si256(apart), _mm512_extracti64x4_epi64(apart, 1));
}

// From the order 0,2,4,6,1,3,5,7 to 0..7.
static inline __m256i in_order(__m256i even_odd) {
  return _mm256_permutevar8x32_epi32(even_odd, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}

}  // namespace assay
