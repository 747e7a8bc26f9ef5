// f32, f16 and bf16 rows times f32 activations in plain C++: eight lanes over the elements.
#pragma once

#include <bit>
#include <cstdint>

#include "engine/core/half.h"
#include "kernels/matvec/bfloat16.h"
#include "kernels/matvec/lane_sum.h"

namespace assay {

inline float widen(float w) {
  return w;
}
// As half_to_float, but without branches: the exponent is rebiased by a multiplication that is
// exact, subnormals included.
inline float widen(std::uint16_t w) {
  const std::uint32_t magnitude = w & 0x7fffu;
  const std::uint32_t sign = static_cast<std::uint32_t>(w & 0x8000u) << 16;
  const float finite = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
  const std::uint32_t special = magnitude >= 0x7c00u ? 0x7f800000u : 0u;  // infinity or NaN
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(finite) | sign | special);
}
inline float widen(Bfloat16 w) {
  return bfloat_to_float(w.bits);
}

// row (k) . x (k), k a multiple of 8. Weight is float, std::uint16_t for f16, or Bfloat16.
template <typename Weight>
inline float dot_float(const Weight* row, const float* x, int k) {
  float lanes[8] = {};
  for (int i = 0; i < k; i += 8) {
    for (int j = 0; j < 8; ++j) lanes[j] += widen(row[i + j]) * x[i + j];
  }
  return sum_lanes(lanes);
}

}  // namespace assay
