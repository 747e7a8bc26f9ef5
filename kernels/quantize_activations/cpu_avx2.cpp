// quantize_activations with AVX2: one block of 32 in four registers.
//
// Non-finite inputs are masked to zero by comparing magnitudes with infinity; the mask also counts
// them. Division is IEEE's and the conversion rounds to nearest even, as the contract says.
#include <immintrin.h>

#include <cstdint>

#include "kernels/launch.h"
#include "kernels/quantize_activations/quantize_activations.h"
#include "kernels/ranges.h"

namespace assay {

static inline float largest(__m256 v) {
  const __m128 four = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}

static inline int total(__m256i v) {
  const __m128i four = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
  const __m128i two = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4e));
  return _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 0xb1)));
}

// Block x (32) -> q (32), d, sum. Returns how many inputs were not finite.
static inline int quantize_block_avx2(const float* x, std::int8_t* q, float* d, std::int16_t* sum) {
  const __m256 magnitude = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff));
  const __m256 infinity = _mm256_castsi256_ps(_mm256_set1_epi32(0x7f800000));
  __m256 finite[4];
  __m256 amax = _mm256_setzero_ps();
  unsigned good = 0;
  for (int i = 0; i < 4; ++i) {
    const __m256 v = _mm256_loadu_ps(x + 8 * i);
    const __m256 mask = _mm256_cmp_ps(_mm256_and_ps(v, magnitude), infinity, _CMP_LT_OQ);
    good |= static_cast<unsigned>(_mm256_movemask_ps(mask)) << (8 * i);
    finite[i] = _mm256_and_ps(v, mask);
    amax = _mm256_max_ps(amax, _mm256_and_ps(finite[i], magnitude));
  }
  const int nonfinite = 32 - __builtin_popcount(good);
  const float largest_of = largest(amax);
  if (largest_of < 0x1p-119f) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(q), _mm256_setzero_si256());
    *d = 0.0f;
    *sum = 0;
    return nonfinite;
  }
  *d = largest_of / 127.0f;
  const __m256 scale = _mm256_set1_ps(*d);
  __m256i codes[4];
  for (int i = 0; i < 4; ++i) codes[i] = _mm256_cvtps_epi32(_mm256_div_ps(finite[i], scale));
  *sum = static_cast<std::int16_t>(total(_mm256_add_epi32(_mm256_add_epi32(codes[0], codes[1]),
                                                          _mm256_add_epi32(codes[2], codes[3]))));
  const __m256i packed = _mm256_packs_epi16(_mm256_packs_epi32(codes[0], codes[1]),
                                            _mm256_packs_epi32(codes[2], codes[3]));
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);  // undoes packing by halves
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(q), _mm256_permutevar8x32_epi32(packed, order));
  return nonfinite;
}

static void quantize_avx2(const QuantizeActivationsArgs& args, Launch& launch) {
  const std::int64_t blocks = static_cast<std::int64_t>(args.t) * (args.k / 32);
  for_ranges(launch, blocks, 64, [&](std::int64_t begin, std::int64_t end) {
    std::uint64_t nonfinite = 0;
    for (std::int64_t b = begin; b < end; ++b) {
      nonfinite += static_cast<std::uint64_t>(quantize_block_avx2(
          args.x + b * 32, args.out.q + b * 32, args.out.d + b, args.out.sum + b));
    }
    if (nonfinite != 0) __atomic_fetch_add(args.nonfinite, nonfinite, __ATOMIC_RELAXED);
  });
}

}  // namespace assay

ASSAY_VARIANT(quantize_activations_cpu_avx2, assay::QuantizeActivationsArgs, assay::quantize_avx2);
