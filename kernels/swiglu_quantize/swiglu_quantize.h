// silu(gate) * up as quantised rows: what stands before the last linear layer of a feed-forward.
#pragma once

#include <cstdint>

#include "kernels/quantize_activations/quantize_activations.h"

namespace assay {

// swiglu and quantize_activations one after the other, bit for bit.
struct SwigluQuantizeArgs {
  float* gate;        // (t, k)  a variant may overwrite it
  const float* up;    // (t, k)
  QuantizedRows out;  // of gate / (1 + e^-gate) * up
  int t;
  int k;                     // multiple of 32
  std::uint64_t* nonfinite;  // one counter: += elements that are not finite (codes 0)
};

}  // namespace assay
