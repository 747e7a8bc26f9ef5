// out = silu(gate) * up, silu(x) = x / (1 + exp(-x)).
#pragma once

#include <cstdint>

namespace assay {

struct SwigluArgs {
  const float* gate;  // (count)
  const float* up;    // (count)
  float* out;         // (count); may be gate
  std::int64_t count;
};

}  // namespace assay
