// e^x on sixteen lanes: the operations of kernels/exp.h in the same order, hence the same bits.
//
// Included by files compiled for AVX-512 only. The two early returns become masks at the end.
#pragma once

#include <immintrin.h>

#include "kernels/exp.h"

namespace assay {

static inline __m512 exp_f32_avx512(__m512 x) {
  using namespace exp_constants;
  const __m512 round = _mm512_set1_ps(kRound);
  const __m512 shifted = _mm512_add_ps(_mm512_mul_ps(x, _mm512_set1_ps(kLog2E)), round);
  const __m512 n = _mm512_sub_ps(shifted, round);
  const __m512 high = _mm512_sub_ps(x, _mm512_mul_ps(n, _mm512_set1_ps(kLn2High)));
  const __m512 r = _mm512_sub_ps(high, _mm512_mul_ps(n, _mm512_set1_ps(kLn2Low)));
  __m512 p = _mm512_add_ps(_mm512_mul_ps(_mm512_set1_ps(kP4), r), _mm512_set1_ps(kP3));
  p = _mm512_add_ps(_mm512_mul_ps(p, r), _mm512_set1_ps(kP2));
  p = _mm512_add_ps(_mm512_mul_ps(p, r), _mm512_set1_ps(kP1));
  p = _mm512_add_ps(_mm512_mul_ps(p, r), _mm512_set1_ps(kP0));
  const __m512 tail = _mm512_add_ps(_mm512_mul_ps(p, _mm512_mul_ps(r, r)), r);
  const __m512 y = _mm512_add_ps(tail, _mm512_set1_ps(1.0f));
  const __m512i whole = _mm512_sub_epi32(_mm512_castps_si512(shifted), _mm512_castps_si512(round));
  const __m512i half = _mm512_srai_epi32(whole, 1);
  const __m512i bias = _mm512_set1_epi32(127);
  const __m512i first = _mm512_slli_epi32(_mm512_add_epi32(half, bias), 23);
  const __m512i second =
      _mm512_slli_epi32(_mm512_add_epi32(_mm512_sub_epi32(whole, half), bias), 23);
  const __m512 power =
      _mm512_mul_ps(_mm512_mul_ps(y, _mm512_castsi512_ps(first)), _mm512_castsi512_ps(second));
  const __mmask16 below = _mm512_cmp_ps_mask(x, _mm512_set1_ps(kLowest), _CMP_LT_OQ);
  const __mmask16 above = _mm512_cmp_ps_mask(x, _mm512_set1_ps(kHighest), _CMP_GT_OQ);
  const __m512 result = _mm512_mask_mov_ps(power, below, _mm512_setzero_ps());
  return _mm512_mask_mov_ps(result, above, _mm512_set1_ps(kInfinity));
}

}  // namespace assay
