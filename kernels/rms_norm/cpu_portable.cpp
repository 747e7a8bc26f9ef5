// Root-mean-square normalisation, eight partial sums in plain C++.
//
// Per row: the sum of squares in the lane order of kernels/lanes.h, mean by IEEE division, one IEEE
// square root and one division for the row, then (x * inverse) * w. A multiplication by a
// reciprocal of k was rejected: it rounds differently from the division for k that is no power of
// two, and buys nothing for one value a row.
#include <cmath>

#include "kernels/lanes.h"
#include "kernels/launch.h"
#include "kernels/rms_norm/rms_norm.h"

namespace assay::rms_norm_portable {

// x (k) -> y (k)
void norm_row(const float* x, const float* w, float* y, int k, float eps) {
  float lane[kLanes] = {};
  for (int i = 0; i < k; i += kLanes) {
    for (int j = 0; j < kLanes; ++j) lane[j] += x[i + j] * x[i + j];
  }
  const float mean = sum_lanes(lane) / static_cast<float>(k);
  const float inverse = 1.0f / std::sqrt(mean + eps);
  for (int i = 0; i < k; ++i) y[i] = (x[i] * inverse) * w[i];
}

void rms_norm(const RmsNormArgs& args, Launch& launch) {
  launch.pool.parallel_for(args.t, 4, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      norm_row(args.x + i * args.k, args.w, args.y + i * args.k, args.k, args.eps);
    }
  });
}

}  // namespace assay::rms_norm_portable

ASSAY_VARIANT(rms_norm_cpu_portable, assay::RmsNormArgs, assay::rms_norm_portable::rms_norm);
