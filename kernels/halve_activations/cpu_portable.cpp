// halve_activations in plain C++: the definition that the other variants equal bit for bit.
#include <cmath>
#include <cstdint>

#include "engine/core/half.h"
#include "kernels/halve_activations/halve_activations.h"
#include "kernels/halve_activations/row_scale.h"
#include "kernels/launch.h"
#include "kernels/ranges.h"

namespace assay::halve_activations_portable {

// Row x (k) -> h (k) and its scale. Returns how many inputs were not finite.
static std::uint64_t halve_row(const float* x, int k, std::uint16_t* h, float* scale) {
  float amax = 0.0f;
  std::uint64_t nonfinite = 0;
  for (int i = 0; i < k; ++i) {
    const float magnitude = std::fabs(x[i]);
    if (!std::isfinite(x[i])) {
      ++nonfinite;
    } else if (magnitude > amax) {
      amax = magnitude;
    }
  }
  *scale = half_row_scale(amax);
  for (int i = 0; i < k; ++i) h[i] = std::isfinite(x[i]) ? float_to_half(x[i] / *scale) : 0;
  return nonfinite;
}

static void halve(const HalveActivationsArgs& args, Launch& launch) {
  for_ranges(launch, args.t, 1, [&](std::int64_t begin, std::int64_t end) {
    std::uint64_t nonfinite = 0;
    for (std::int64_t row = begin; row < end; ++row) {
      const std::int64_t at = row * args.k;
      nonfinite += halve_row(args.x + at, args.k, args.out.h + at, args.out.scale + row);
    }
    if (nonfinite != 0) __atomic_fetch_add(args.nonfinite, nonfinite, __ATOMIC_RELAXED);
  });
}

}  // namespace assay::halve_activations_portable

ASSAY_VARIANT(halve_activations_cpu_portable, assay::HalveActivationsArgs,
              assay::halve_activations_portable::halve);
