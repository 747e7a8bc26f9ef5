// x += r, then the RMS norm of x as quantised rows: what stands between two linear layers of the
// residual stream.
#pragma once

#include <cstdint>

#include "kernels/quantize_activations/quantize_activations.h"

namespace assay {

// add, rms_norm and quantize_activations one after the other, bit for bit.
struct AddRmsNormQuantizeArgs {
  float* x;           // (t, k)  += r; only read where r is null
  const float* r;     // (t, k), or null
  const float* w;     // (k)
  float* normed;      // (t, k)  scratch: a variant may leave the norm there, or nothing
  QuantizedRows out;  // of x / sqrt(mean(x^2) + eps) * w
  int t;
  int k;  // multiple of 32
  float eps;
  std::uint64_t* nonfinite;  // one counter: += normed elements that are not finite (codes 0)
};

}  // namespace assay
