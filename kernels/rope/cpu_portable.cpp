// Rotary embedding of half-split pairs, in plain C++.
//
// (a, b) = (x[i], x[i + d/2]) becomes (a c - b s, b c + a s): two products and one addition each,
// never contracted. Cosines and sines come from the host's table, so that no kernel calls libm.
#include "kernels/launch.h"
#include "kernels/rope/rope.h"

namespace assay::rope_portable {

// x (heads, head_dim); cosine, sine (head_dim / 2)
void rotate_row(float* x, const float* cosine, const float* sine, int heads, int head_dim) {
  const int half = head_dim / 2;
  for (int h = 0; h < heads; ++h) {
    float* low = x + h * head_dim;
    float* high = low + half;
    for (int i = 0; i < half; ++i) {
      const float a = low[i];
      const float b = high[i];
      low[i] = a * cosine[i] - b * sine[i];
      high[i] = b * cosine[i] + a * sine[i];
    }
  }
}

void rope(const RopeArgs& args, Launch& launch) {
  const std::int64_t row = static_cast<std::int64_t>(args.heads) * args.head_dim;
  const std::int64_t half = args.head_dim / 2;
  launch.pool.parallel_for(args.t, 4, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t at = (args.first_position + i) * half;
      rotate_row(args.x + i * row, args.cosine + at, args.sine + at, args.heads, args.head_dim);
    }
  });
}

}  // namespace assay::rope_portable

ASSAY_VARIANT(rope_cpu_portable, assay::RopeArgs, assay::rope_portable::rope);
