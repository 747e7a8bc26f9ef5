// x += r, then the RMS norm of x as halved rows: what stands between two linear layers of the
// residual stream where tensor cores multiply.
#pragma once

#include <cstdint>

#include "kernels/halve_activations/halve_activations.h"

namespace assay {

// add, rms_norm and halve_activations one after the other, bit for bit.
struct AddRmsNormHalveArgs {
  float* x;        // (t, k)  += r; only read where r is null
  const float* r;  // (t, k), or null
  const float* w;  // (k)
  float* normed;   // (t, k)  scratch: a variant may leave the norm there, or nothing
  HalfRows out;    // of x / sqrt(mean(x^2) + eps) * w
  int t;
  int k;  // multiple of 8
  float eps;
  std::uint64_t* nonfinite;  // one counter: += normed elements that are not finite (halves 0)
};

}  // namespace assay
