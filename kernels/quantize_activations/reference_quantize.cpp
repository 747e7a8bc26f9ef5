#include "kernels/quantize_activations/reference_quantize.h"

#include <algorithm>
#include <cmath>

namespace assay {

QuantizedStorage reference_quantize(std::span<const float> x) {
  QuantizedStorage out;
  out.q.assign(x.size(), 0);
  out.d.assign(x.size() / 32, 0.0f);
  out.sum.assign(x.size() / 32, 0);
  for (std::size_t b = 0; b < x.size() / 32; ++b) {
    const std::span<const float> block = x.subspan(b * 32, 32);
    double amax = 0;
    for (const float value : block) {
      if (std::isfinite(value)) {
        amax = std::max(amax, std::fabs(static_cast<double>(value)));
      } else {
        ++out.nonfinite;
      }
    }
    if (amax < 0x1p-119) continue;
    out.d[b] = static_cast<float>(amax / 127.0);
    int sum = 0;
    for (std::size_t i = 0; i < 32; ++i) {
      if (!std::isfinite(block[i])) continue;
      const double exact = static_cast<double>(block[i]) / static_cast<double>(out.d[b]);
      const int code = static_cast<int>(std::nearbyint(static_cast<float>(exact)));
      out.q[b * 32 + i] = static_cast<std::int8_t>(code);
      sum += code;
    }
    out.sum[b] = static_cast<std::int16_t>(sum);
  }
  return out;
}

}  // namespace assay
