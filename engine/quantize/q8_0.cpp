// q8_0: the largest magnitude becomes code 127. With eight bits a search gains nothing that a model
// would notice; codes are taken by the scale as f16 holds it, not by the exact one.
#include <algorithm>
#include <cmath>

#include "engine/quantize/block_fit.h"
#include "engine/quantize/quantize_block.h"

namespace assay {

bool quantize_block(std::span<const float, 32> x, BlockQ8_0& block) {
  float most = 0;
  for (const float value : x) most = std::max(most, std::abs(value));
  block.d = float_to_half(most / 127);
  const float scale = half_to_float(block.d);
  if (!std::isfinite(scale)) return false;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float code = scale > 0 ? x[i] / scale : 0;
    block.q[i] = static_cast<std::int8_t>(nearest_code(code, -127, 127));
  }
  return true;
}

}  // namespace assay
