// q8_0 rows times quantised activations in plain C++. Terms: kernels/matvec/README.md.
#pragma once

#include <cstdint>

#include "kernels/blocks.h"
#include "kernels/matvec/lane_sum.h"
#include "kernels/quantize_activations/quantize_activations.h"

namespace assay {

// row . xq[token], k a multiple of 32.
inline float dot_q8_0(const BlockQ8_0* row, const QuantizedRows& xq, int token, int k) {
  float lanes[8] = {};
  const std::int64_t at = static_cast<std::int64_t>(token) * k;
  const std::int8_t* x = xq.q + at;
  const float* d = xq.d + at / 32;
  for (int b = 0; b < k / 32; ++b) {
    std::int32_t dot = 0;
    for (int i = 0; i < 32; ++i) {
      dot += static_cast<std::int16_t>(row[b].q[i]) * static_cast<std::int16_t>(x[b * 32 + i]);
    }
    lanes[b % 8] += (half_to_float(row[b].d) * static_cast<float>(dot)) * d[b];
  }
  return sum_lanes(lanes);
}

}  // namespace assay
