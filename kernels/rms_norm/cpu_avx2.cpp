// Root-mean-square normalisation, the eight partial sums in one register.
//
// The additions are those of cpu_portable.cpp: step n adds the squares of elements 8n .. 8n + 7 to
// the register. `unroll` says how many steps a loop iteration does; with 2, both loads and both
// squares come before the two additions, which still happen in order. The chain of additions is the
// same length either way, so the parameter changes the instructions and not the sums.
#include <immintrin.h>

#include "kernels/lanes_avx2.h"
#include "kernels/launch.h"
#include "kernels/ranges.h"
#include "kernels/rms_norm/rms_norm.h"

namespace assay::rms_norm_avx2 {

static inline void scale8(const float* x, const float* w, float* y, __m256 inverse) {
  const __m256 scaled = _mm256_mul_ps(_mm256_loadu_ps(x), inverse);
  _mm256_storeu_ps(y, _mm256_mul_ps(scaled, _mm256_loadu_ps(w)));
}

// x (k) -> y (k), k a multiple of 8
template <int unroll>
static void norm_row(const float* x, const float* w, float* y, int k, float eps) {
  __m256 lanes = _mm256_setzero_ps();
  int i = 0;
  for (; i + 8 * unroll <= k; i += 8 * unroll) {
    __m256 square[unroll];
#pragma GCC unroll 4
    for (int n = 0; n < unroll; ++n) {
      const __m256 v = _mm256_loadu_ps(x + i + 8 * n);
      square[n] = _mm256_mul_ps(v, v);
    }
#pragma GCC unroll 4
    for (int n = 0; n < unroll; ++n) lanes = _mm256_add_ps(lanes, square[n]);
  }
  for (; i < k; i += 8) {
    const __m256 v = _mm256_loadu_ps(x + i);
    lanes = _mm256_add_ps(lanes, _mm256_mul_ps(v, v));
  }
  const float mean = sum_lanes_avx2(lanes) / static_cast<float>(k);
  const float root = _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(mean + eps)));
  const __m256 inverse = _mm256_set1_ps(1.0f / root);
  i = 0;
  for (; i + 8 * unroll <= k; i += 8 * unroll) {
#pragma GCC unroll 4
    for (int n = 0; n < unroll; ++n) scale8(x + i + 8 * n, w + i + 8 * n, y + i + 8 * n, inverse);
  }
  for (; i < k; i += 8) scale8(x + i, w + i, y + i, inverse);
}

template <int unroll>
static void rms_norm(const RmsNormArgs& args, Launch& launch) {
  for_ranges(launch, args.t, 4, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      norm_row<unroll>(args.x + i * args.k, args.w, args.y + i * args.k, args.k, args.eps);
    }
  });
}

}  // namespace assay::rms_norm_avx2

ASSAY_VARIANT(rms_norm_cpu_avx2_unroll1, assay::RmsNormArgs, assay::rms_norm_avx2::rms_norm<1>);
ASSAY_VARIANT(rms_norm_cpu_avx2_unroll2, assay::RmsNormArgs, assay::rms_norm_avx2::rms_norm<2>);
