// Activation codes widened to 16 bits, for plain C++.
//
// Sixteen-bit products of sixteen-bit factors are what compilers turn into pmaddwd and its kin. The
// activations are widened once per launch and thread instead of once per weight row.
#pragma once

#include <cstdint>

#include "kernels/quantize_activations/quantize_activations.h"
#include "kernels/ranges.h"

namespace assay {

// Consecutive token rows, k elements each.
struct WideRows {
  const std::int16_t* q;    // (t, k)
  const float* d;           // (t, k / 32)
  const std::int16_t* sum;  // (t, k / 32)
};

// Token rows [first, end) of xq; the codes lie in the thread's scratch memory.
inline WideRows widen_rows(const QuantizedRows& xq, int first, int end, int k) {
  const std::int64_t at = static_cast<std::int64_t>(first) * k;
  const std::int64_t count = static_cast<std::int64_t>(end - first) * k;
  auto* wide = static_cast<std::int16_t*>(thread_scratch(count * 2));
  const std::int8_t* q = xq.q + at;
  for (std::int64_t i = 0; i < count; ++i) wide[i] = q[i];
  return {wide, xq.d + at / 32, xq.sum + at / 32};
}

// Sum of 32 products.
inline std::int32_t dot_32(const std::int16_t* w, const std::int16_t* x) {
  std::int32_t sum = 0;
  for (int i = 0; i < 32; ++i) sum += static_cast<std::int32_t>(w[i]) * x[i];
  return sum;
}

}  // namespace assay
