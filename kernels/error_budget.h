// The permitted |error| of one output, for the references on the host and those on a GPU.
//
// The methods stand in kernels/matvec/README.md and kernels/attention_decode/attention_case.h; the
// formulas are here so that a sweep that computes its fp64 values on the device is held to the same
// budgets as the cases.
#pragma once

#include <cmath>

#include "kernels/host_device.h"

namespace assay {

inline constexpr double kUnit32 = 0x1p-24;       // u: half an ulp of 1 in f32
inline constexpr double kDenormal32 = 0x1p-149;  // the smallest f32: rounding below it is absolute

// Sum and sum of magnitudes of the terms that a kernel adds: single products for float types, whole
// 32-blocks for integer dots.
struct ExactDot {
  double value = 0;
  double magnitude = 0;
};

ASSAY_HOST_DEVICE inline bool has_one_sign(const ExactDot& dot) {
  return std::fabs(dot.value) > 0.1 * dot.magnitude;
}

// Of a dot product of k terms in f32. `float_weights`: f32, f16 or bf16 ones.
ASSAY_HOST_DEVICE inline double linear_budget(bool float_weights, int k, const ExactDot& dot) {
  if (dot.magnitude == 0) return 0;
  const int terms = float_weights ? k / 8 : (k / 32 + 7) / 8;
  const double chain = terms + 3;  // additions on the longest way to the output
  const double factor = float_weights ? 1.0 : 1.5;
  return factor * kUnit32 * (has_one_sign(dot) ? chain : std::sqrt(chain)) * dot.magnitude +
         k * kDenormal32;
}

// Tensor cores add groups of eight or sixteen products and round towards zero: twice the unit, and
// a drift with every addition where terms have one sign. The factor 3 is calibrated at the shapes
// of 7 and 14 B parameters: rows with a few giant elements keep a large partial sum for the rest of
// the chain, and the drift of that reaches 0.73 of the budget; other data stay near 0.2.
ASSAY_HOST_DEVICE inline double half_linear_budget(int k, const ExactDot& dot) {
  const double chain = k / 16.0 + 4;
  return 3 * 2 * kUnit32 * (has_one_sign(dot) ? chain : std::sqrt(chain)) * dot.magnitude +
         k * kDenormal32;
}

// Of a row of attention over `count` positions, what sum p|v| is multiplied with. `widest`: max_j
// sum |q k_j|. `half`: tensor cores get Q and the probabilities as halves and round their sums
// towards zero.
ASSAY_HOST_DEVICE inline double attention_error_factor(bool half, double scale, int head_dim,
                                                       int count, double widest) {
  const double unit = half ? 2 * kUnit32 : kUnit32;
  const double operand = half ? 0x1p-11 : 0;
  const double score_error =
      scale *
      ((operand > unit ? operand : unit) + unit * std::sqrt(static_cast<double>(head_dim))) *
      widest;
  return 2 * score_error + operand + unit * std::sqrt(static_cast<double>(count)) + 4 * kUnit32;
}

// `magnitude`: sum p|v| of the output.
ASSAY_HOST_DEVICE inline double attention_budget(double magnitude, double factor, int count) {
  return magnitude == 0 ? 0 : magnitude * factor + count * kDenormal32;
}

}  // namespace assay
