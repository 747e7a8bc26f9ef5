// Rotary embedding, eight half-split or four interleaved pairs at a time.
//
// Half-split pairs lie in two contiguous halves, so no shuffles are needed; interleaved ones meet
// their partner by swapping neighbours. The last pairs of a head_dim that fills no register go one
// by one with the same products and additions.
#include <immintrin.h>

#include "kernels/launch.h"
#include "kernels/ranges.h"
#include "kernels/rope/rope.h"

namespace assay::rope_avx2 {

// low, high, cosine, sine (half)
static void rotate_head(float* low, float* high, const float* cosine, const float* sine, int half) {
  int i = 0;
  for (; i + 8 <= half; i += 8) {
    const __m256 a = _mm256_loadu_ps(low + i);
    const __m256 b = _mm256_loadu_ps(high + i);
    const __m256 c = _mm256_loadu_ps(cosine + i);
    const __m256 s = _mm256_loadu_ps(sine + i);
    _mm256_storeu_ps(low + i, _mm256_sub_ps(_mm256_mul_ps(a, c), _mm256_mul_ps(b, s)));
    _mm256_storeu_ps(high + i, _mm256_add_ps(_mm256_mul_ps(b, c), _mm256_mul_ps(a, s)));
  }
  for (; i < half; ++i) {
    const float a = low[i];
    const float b = high[i];
    low[i] = a * cosine[i] - b * sine[i];
    high[i] = b * cosine[i] + a * sine[i];
  }
}

// x (2 * half): neighbours; cosine, sine (half)
static void rotate_neighbours(float* x, const float* cosine, const float* sine, int half) {
  const __m256i twice = _mm256_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3);
  const auto doubled = [twice](const float* four) {
    return _mm256_permutevar8x32_ps(_mm256_castps128_ps256(_mm_loadu_ps(four)), twice);
  };
  int i = 0;
  for (; i + 4 <= half; i += 4) {
    const __m256 pairs = _mm256_loadu_ps(x + 2 * i);
    const __m256 swapped = _mm256_permute_ps(pairs, 0xb1);
    const __m256 straight = _mm256_mul_ps(pairs, doubled(cosine + i));
    const __m256 crossed = _mm256_mul_ps(swapped, doubled(sine + i));
    _mm256_storeu_ps(x + 2 * i, _mm256_addsub_ps(straight, crossed));
  }
  for (; i < half; ++i) {
    const float a = x[2 * i];
    const float b = x[2 * i + 1];
    x[2 * i] = a * cosine[i] - b * sine[i];
    x[2 * i + 1] = b * cosine[i] + a * sine[i];
  }
}

static void rope(const RopeArgs& args, Launch& launch) {
  const std::int64_t row = static_cast<std::int64_t>(args.heads) * args.head_dim;
  const int half = args.head_dim / 2;
  for_ranges(launch, args.t, 4, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t at = (args.first_position + i) * half;
      for (int h = 0; h < args.heads; ++h) {
        float* head = args.x + i * row + static_cast<std::int64_t>(h) * args.head_dim;
        if (args.interleaved) {
          rotate_neighbours(head, args.cosine + at, args.sine + at, half);
        } else {
          rotate_head(head, head + half, args.cosine + at, args.sine + at, half);
        }
      }
    }
  });
}

}  // namespace assay::rope_avx2

ASSAY_VARIANT(rope_cpu_avx2, assay::RopeArgs, assay::rope_avx2::rope);
