// silu(gate) * up as halved rows: what stands before the last linear layer of a feed-forward where
// tensor cores multiply.
#pragma once

#include <cstdint>

#include "kernels/halve_activations/halve_activations.h"

namespace assay {

// swiglu and halve_activations one after the other, bit for bit.
struct SwigluHalveArgs {
  float* gate;      // (t, k)  a variant may overwrite it
  const float* up;  // (t, k)
  HalfRows out;     // of gate / (1 + e^-gate) * up
  int t;
  int k;                     // multiple of 4
  std::uint64_t* nonfinite;  // one counter: += elements that are not finite (halves 0)
};

}  // namespace assay
