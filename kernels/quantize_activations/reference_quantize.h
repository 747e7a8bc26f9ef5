// Quantised activations by definition, in fp64: what quantize_activations must produce, and the
// operands that the references of matvec and matmul feed to quantised kernels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/quantize_activations/quantize_activations.h"

namespace assay {

struct QuantizedStorage {
  std::vector<std::int8_t> q;     // (t, k)
  std::vector<float> d;           // (t, k / 32)
  std::vector<std::int16_t> sum;  // (t, k / 32)
  std::uint64_t nonfinite = 0;
  QuantizedRows rows() { return {q.data(), d.data(), sum.data()}; }
};

// x (t * k), k a multiple of 32. A quotient of two f32 taken in f64 and then rounded to f32 is the
// correctly rounded f32 quotient, so this needs no f32 division.
QuantizedStorage reference_quantize(std::span<const float> x);

}  // namespace assay
