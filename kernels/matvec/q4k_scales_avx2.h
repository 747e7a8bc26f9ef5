// The 8 scales and 8 mins of a q4_K or q5_K block as eight f32 each, in the order 0,2,4,6,1,3,5,7.
// For AVX2 and AVX-512 files only.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "kernels/blocks.h"

namespace assay {

struct ScalesQ4K {
  __m256 scale;  // d * scale
  __m256 min;    // dmin * min
};

// Block is BlockQ4K or BlockQ5K.
template <typename Block>
static inline ScalesQ4K read_scales_q4k(const Block& block) {
  std::uint32_t words[3];
  __builtin_memcpy(words, block.scales, 12);
  const std::uint32_t scale_low = words[0] & 0x3f3f3f3fu;
  const std::uint32_t min_low = words[1] & 0x3f3f3f3fu;
  const std::uint32_t scale_high = (words[2] & 0x0f0f0f0fu) | ((words[0] >> 6) & 0x03030303u) << 4;
  const std::uint32_t min_high = ((words[2] >> 4) & 0x0f0f0f0fu) | ((words[1] >> 6) & 0x03030303u)
                                                                       << 4;
  const __m128i bytes = _mm_set_epi32(static_cast<int>(min_high), static_cast<int>(min_low),
                                      static_cast<int>(scale_high), static_cast<int>(scale_low));
  const __m128i order = _mm_setr_epi8(0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15);
  const __m128i ordered = _mm_shuffle_epi8(bytes, order);
  const __m256 scale = _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(ordered));
  const __m256 min = _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_srli_si128(ordered, 8)));
  return {_mm256_mul_ps(_mm256_set1_ps(_cvtsh_ss(block.d)), scale),
          _mm256_mul_ps(_mm256_set1_ps(_cvtsh_ss(block.dmin)), min)};
}

// lanes + (scale * dots - min * sum) * d, each operation rounded by itself.
static inline __m256 add_terms_q4k(__m256 lanes, const ScalesQ4K& scales, __m256i dots,
                                   const float* sum, const float* d) {
  const __m256 high = _mm256_mul_ps(scales.scale, _mm256_cvtepi32_ps(dots));
  const __m256 low = _mm256_mul_ps(scales.min, _mm256_load_ps(sum));
  return _mm256_add_ps(lanes, _mm256_mul_ps(_mm256_sub_ps(high, low), _mm256_load_ps(d)));
}

}  // namespace assay
