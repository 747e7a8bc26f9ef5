// Activations as f16 with a power-of-two scale per row: what tensor cores multiply.
#pragma once

#include <cstdint>

namespace assay {

// View of t rows of k elements: x[i] is about scale[i] * h[i]. Rows are contiguous.
struct HalfRows {
  std::uint16_t* h = nullptr;  // (t, k) f16
  float* scale = nullptr;      // (t)
};

// SwiGLU outputs can exceed f16's 65,504, and rows far below 1 would be subnormal. With amax the
// largest finite magnitude of a row: scale is 1 while amax is 0 or in [2^-8, 2^15], else the power
// of two that brings amax into [2^14, 2^15) (amax above) or [1, 2) (below). Each element is divided
// by it, which is exact, and rounded to f16, ties to even. Elements that are not finite become 0
// and are counted.
struct HalveActivationsArgs {
  const float* x;  // (t, k)
  HalfRows out;
  int t;
  int k;
  std::uint64_t* nonfinite;  // one counter: += number of non-finite inputs
};

}  // namespace assay
