// f32 and f16 rows times f32 activations in plain C++: eight lanes over the elements.
#pragma once

#include <cstdint>

#include "engine/core/half.h"
#include "kernels/matvec/lane_sum.h"

namespace assay {

inline float widen(float w) {
  return w;
}
inline float widen(std::uint16_t w) {
  return half_to_float(w);
}

// row (k) . x (k), k a multiple of 8. Weight is float, or std::uint16_t for f16.
template <typename Weight>
inline float dot_float(const Weight* row, const float* x, int k) {
  float lanes[8] = {};
  for (int i = 0; i < k; i += 8) {
    for (int j = 0; j < 8; ++j) lanes[j] += widen(row[i + j]) * x[i + j];
  }
  return sum_lanes(lanes);
}

}  // namespace assay
