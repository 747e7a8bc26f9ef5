// SwiGLU eight at a time: gate / (1 + e^-gate) * up, with the exponential of kernels/exp_avx2.h.
//
// The last elements of a length that is no multiple of 8 go through the same instructions by a
// masked load and store, so there is no second form of the arithmetic to keep equal.
#include <immintrin.h>

#include "kernels/exp_avx2.h"
#include "kernels/lanes_avx2.h"
#include "kernels/launch.h"
#include "kernels/ranges.h"
#include "kernels/swiglu/swiglu.h"

namespace assay::swiglu_avx2 {

static inline __m256 silu_times(__m256 gate, __m256 up) {
  const __m256 minus = _mm256_xor_ps(gate, _mm256_set1_ps(-0.0f));
  const __m256 divisor = _mm256_add_ps(_mm256_set1_ps(1.0f), exp_f32_avx2(minus));
  return _mm256_mul_ps(_mm256_div_ps(gate, divisor), up);
}

static void swiglu(const SwigluArgs& args, Launch& launch) {
  for_ranges(launch, args.count, 4096, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t i = begin;
    for (; i + 8 <= end; i += 8) {
      _mm256_storeu_ps(args.out + i,
                       silu_times(_mm256_loadu_ps(args.gate + i), _mm256_loadu_ps(args.up + i)));
    }
    if (i == end) return;
    const __m256i valid = first_lanes_avx2(static_cast<int>(end - i));
    const __m256 tail = silu_times(_mm256_maskload_ps(args.gate + i, valid),
                                   _mm256_maskload_ps(args.up + i, valid));
    _mm256_maskstore_ps(args.out + i, valid, tail);
  });
}

}  // namespace assay::swiglu_avx2

ASSAY_VARIANT(swiglu_cpu_avx2, assay::SwigluArgs, assay::swiglu_avx2::swiglu);
