// quantize_activations in plain C++: the definition that the other variants equal bit for bit.
//
// Rounding adds and subtracts 1.5 * 2^23, which rounds to the nearest integer, ties to even, in the
// default rounding mode; std::nearbyint says the same but is a library call without SSE4.1.
#include <cmath>
#include <cstdint>

#include "kernels/launch.h"
#include "kernels/quantize_activations/quantize_activations.h"
#include "kernels/ranges.h"

namespace assay {

// Block x (32) -> q (32), d, sum. Returns how many inputs were not finite.
static int quantize_block(const float* x, std::int8_t* q, float* d, std::int16_t* sum) {
  float finite[32];
  float amax = 0.0f;
  int nonfinite = 0;
  for (int i = 0; i < 32; ++i) {
    const bool good = std::isfinite(x[i]);
    nonfinite += good ? 0 : 1;
    finite[i] = good ? x[i] : 0.0f;
    const float magnitude = std::fabs(finite[i]);
    amax = magnitude > amax ? magnitude : amax;
  }
  const bool zero = amax < 0x1p-119f;
  const float scale = zero ? 1.0f : amax / 127.0f;
  *d = zero ? 0.0f : scale;
  int total = 0;
  for (int i = 0; i < 32; ++i) {
    const float rounded = (finite[i] / scale + 0x1.8p23f) - 0x1.8p23f;
    const int code = zero ? 0 : static_cast<int>(rounded);
    q[i] = static_cast<std::int8_t>(code);
    total += code;
  }
  *sum = static_cast<std::int16_t>(total);
  return nonfinite;
}

static void quantize_portable(const QuantizeActivationsArgs& args, Launch& launch) {
  const std::int64_t blocks = static_cast<std::int64_t>(args.t) * (args.k / 32);
  for_ranges(launch, blocks, 64, [&](std::int64_t begin, std::int64_t end) {
    std::uint64_t nonfinite = 0;
    for (std::int64_t b = begin; b < end; ++b) {
      nonfinite += static_cast<std::uint64_t>(
          quantize_block(args.x + b * 32, args.out.q + b * 32, args.out.d + b, args.out.sum + b));
    }
    if (nonfinite != 0) __atomic_fetch_add(args.nonfinite, nonfinite, __ATOMIC_RELAXED);
  });
}

}  // namespace assay

ASSAY_VARIANT(quantize_activations_cpu_portable, assay::QuantizeActivationsArgs,
              assay::quantize_portable);
