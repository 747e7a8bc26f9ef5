// Rotary embedding in plain C++.
//
// A pair (a, b) becomes (a c - b s, b c + a s): two products and one addition each,
// never contracted. Cosines and sines come from the host's table, so that no kernel calls libm.
#include "kernels/launch.h"
#include "kernels/rope/rope.h"

namespace assay::rope_portable {

// x (heads, head_dim); cosine, sine (head_dim / 2)
void rotate_row(float* x, const float* cosine, const float* sine, int heads, int head_dim,
                bool interleaved) {
  const int half = head_dim / 2;
  const int step = interleaved ? 2 : 1;      // from pair to pair
  const int apart = interleaved ? 1 : half;  // within a pair
  for (int h = 0; h < heads; ++h) {
    for (int i = 0; i < half; ++i) {
      float& first = x[h * head_dim + i * step];
      float& second = x[h * head_dim + i * step + apart];
      const float a = first;
      const float b = second;
      first = a * cosine[i] - b * sine[i];
      second = b * cosine[i] + a * sine[i];
    }
  }
}

void rope(const RopeArgs& args, Launch& launch) {
  const std::int64_t row = static_cast<std::int64_t>(args.heads) * args.head_dim;
  const std::int64_t half = args.head_dim / 2;
  launch.pool.parallel_for(args.t, 4, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t at = (args.first_position + i) * half;
      rotate_row(args.x + i * row, args.cosine + at, args.sine + at, args.heads, args.head_dim,
                 args.interleaved);
    }
  });
}

}  // namespace assay::rope_portable

ASSAY_VARIANT(rope_cpu_portable, assay::RopeArgs, assay::rope_portable::rope);
