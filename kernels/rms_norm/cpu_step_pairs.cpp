// Root-mean-square normalisation in plain C++, two steps of the eight sums in one iteration.
//
// The squares of both steps are formed before either is added, and the additions stay in order: the
// chain of each lane is that of cpu_portable.cpp, and so are the bits. What can be saved is one
// branch and one index update per pair of steps, next to sixteen products and sixteen additions.
#include <cmath>

#include "kernels/lanes.h"
#include "kernels/launch.h"
#include "kernels/rms_norm/rms_norm.h"

namespace assay::rms_norm_step_pairs {

// x (k) -> sum of squares, k a multiple of 8
float sum_of_squares(const float* x, int k) {
  float lane[kLanes] = {};
  int i = 0;
  for (; i + 2 * kLanes <= k; i += 2 * kLanes) {
    float first[kLanes];
    float second[kLanes];
    for (int j = 0; j < kLanes; ++j) first[j] = x[i + j] * x[i + j];
    for (int j = 0; j < kLanes; ++j) second[j] = x[i + kLanes + j] * x[i + kLanes + j];
    for (int j = 0; j < kLanes; ++j) lane[j] += first[j];
    for (int j = 0; j < kLanes; ++j) lane[j] += second[j];
  }
  for (; i < k; i += kLanes) {
    for (int j = 0; j < kLanes; ++j) lane[j] += x[i + j] * x[i + j];
  }
  return sum_lanes(lane);
}

void rms_norm(const RmsNormArgs& args, Launch& launch) {
  launch.pool.parallel_for(args.t, 4, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const float* x = args.x + row * args.k;
      float* y = args.y + row * args.k;
      const float mean = sum_of_squares(x, args.k) / static_cast<float>(args.k);
      const float inverse = 1.0f / std::sqrt(mean + args.eps);
      for (int i = 0; i < args.k; ++i) y[i] = (x[i] * inverse) * args.w[i];
    }
  });
}

}  // namespace assay::rms_norm_step_pairs

ASSAY_VARIANT(rms_norm_cpu_step_pairs, assay::RmsNormArgs, assay::rms_norm_step_pairs::rms_norm);
