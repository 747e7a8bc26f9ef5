// The largest value and the runner-up: eight candidates at a time, one per lane, then the lanes.
//
// Lane j sees elements j, j + 8, ...; it keeps its best value, that value's first index, and its
// runner-up. NaN is turned into -inf on load, so it can never win. The lanes are joined by value,
// then by lowest index. Where even the best is -inf nothing ever beat the start value, and the
// first element that is a number is looked up instead.
#include <immintrin.h>

#include "kernels/argmax/argmax.h"
#include "kernels/lanes_avx2.h"
#include "kernels/launch.h"

namespace assay::argmax_avx2 {

constexpr float kLowest = -__builtin_inff();

struct Lanes {
  __m256 best;
  __m256 second;
  __m256i index;
};

static inline void take(Lanes& lanes, __m256 x, __m256i index) {
  x = _mm256_blendv_ps(x, _mm256_set1_ps(kLowest), _mm256_cmp_ps(x, x, _CMP_UNORD_Q));
  const __m256 wins = _mm256_cmp_ps(x, lanes.best, _CMP_GT_OQ);
  lanes.second = _mm256_max_ps(lanes.second, _mm256_blendv_ps(x, lanes.best, wins));
  lanes.best = _mm256_blendv_ps(lanes.best, x, wins);
  lanes.index = _mm256_blendv_epi8(lanes.index, index, _mm256_castps_si256(wins));
}

// The index of the first number, 0 when there is none.
static int first_number(const float* x, int k) {
  for (int i = 0; i < k; ++i) {
    if (x[i] == x[i]) return i;
  }
  return 0;
}

static void argmax(const ArgmaxArgs& args, Launch&) {
  Lanes lanes{_mm256_set1_ps(kLowest), _mm256_set1_ps(kLowest), _mm256_setzero_si256()};
  __m256i index = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const __m256i eight = _mm256_set1_epi32(8);
  int i = 0;
  for (; i + 8 <= args.k; i += 8) {
    take(lanes, _mm256_loadu_ps(args.x + i), index);
    index = _mm256_add_epi32(index, eight);
  }
  if (i < args.k) {
    const __m256i valid = first_lanes_avx2(args.k - i);
    take(lanes,
         _mm256_blendv_ps(_mm256_set1_ps(kLowest), _mm256_maskload_ps(args.x + i, valid),
                          _mm256_castsi256_ps(valid)),
         index);
  }
  float best[8];
  float second[8];
  int at[8];
  _mm256_storeu_ps(best, lanes.best);
  _mm256_storeu_ps(second, lanes.second);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(at), lanes.index);
  int winner = 0;
  for (int n = 1; n < 8; ++n) {
    const bool earlier = best[n] == best[winner] && at[n] < at[winner];
    if (best[n] > best[winner] || earlier) winner = n;
  }
  float runner_up = second[winner];
  for (int n = 0; n < 8; ++n) {
    if (n != winner && best[n] > runner_up) runner_up = best[n];
  }
  *args.index = best[winner] > kLowest ? at[winner] : first_number(args.x, args.k);
  *args.value = args.x[*args.index];
  *args.second = runner_up + 0.0f;  // -0 becomes +0, as in cpu_portable.cpp
}

}  // namespace assay::argmax_avx2

ASSAY_VARIANT(argmax_cpu_avx2, assay::ArgmaxArgs, assay::argmax_avx2::argmax);
