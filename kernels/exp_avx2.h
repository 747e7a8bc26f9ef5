// e^x on eight lanes: the operations of kernels/exp.h in the same order, hence the same bits.
//
// Included by files compiled for AVX2 only. The two early returns become selections at the end.
#pragma once

#include <immintrin.h>

#include "kernels/exp.h"

namespace assay {

static inline __m256 exp_f32_avx2(__m256 x) {
  using namespace exp_constants;
  const __m256 round = _mm256_set1_ps(kRound);
  const __m256 shifted = _mm256_add_ps(_mm256_mul_ps(x, _mm256_set1_ps(kLog2E)), round);
  const __m256 n = _mm256_sub_ps(shifted, round);
  const __m256 high = _mm256_sub_ps(x, _mm256_mul_ps(n, _mm256_set1_ps(kLn2High)));
  const __m256 r = _mm256_sub_ps(high, _mm256_mul_ps(n, _mm256_set1_ps(kLn2Low)));
  __m256 p = _mm256_add_ps(_mm256_mul_ps(_mm256_set1_ps(kP4), r), _mm256_set1_ps(kP3));
  p = _mm256_add_ps(_mm256_mul_ps(p, r), _mm256_set1_ps(kP2));
  p = _mm256_add_ps(_mm256_mul_ps(p, r), _mm256_set1_ps(kP1));
  p = _mm256_add_ps(_mm256_mul_ps(p, r), _mm256_set1_ps(kP0));
  const __m256 tail = _mm256_add_ps(_mm256_mul_ps(p, _mm256_mul_ps(r, r)), r);
  const __m256 y = _mm256_add_ps(tail, _mm256_set1_ps(1.0f));
  const __m256i whole = _mm256_sub_epi32(_mm256_castps_si256(shifted), _mm256_castps_si256(round));
  const __m256i half = _mm256_srai_epi32(whole, 1);
  const __m256i bias = _mm256_set1_epi32(127);
  const __m256i first = _mm256_slli_epi32(_mm256_add_epi32(half, bias), 23);
  const __m256i second =
      _mm256_slli_epi32(_mm256_add_epi32(_mm256_sub_epi32(whole, half), bias), 23);
  __m256 result =
      _mm256_mul_ps(_mm256_mul_ps(y, _mm256_castsi256_ps(first)), _mm256_castsi256_ps(second));
  const __m256 below = _mm256_cmp_ps(x, _mm256_set1_ps(kLowest), _CMP_LT_OQ);
  const __m256 above = _mm256_cmp_ps(x, _mm256_set1_ps(kHighest), _CMP_GT_OQ);
  result = _mm256_andnot_ps(below, result);
  return _mm256_blendv_ps(result, _mm256_set1_ps(kInfinity), above);
}

}  // namespace assay
