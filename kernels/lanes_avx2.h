// The tree of kernels/lanes.h on one register of eight partial sums, and loads of short tails.
//
// Included by files compiled for AVX2 only.
#pragma once

#include <immintrin.h>

namespace assay {

static inline float sum_lanes_avx2(__m256 lanes) {
  // (0+4, 1+5, 2+6, 3+7)
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(lanes), _mm256_extractf128_ps(lanes, 1));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

// All ones in the first `count` (0..8) lanes.
static inline __m256i first_lanes_avx2(int count) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

}  // namespace assay
