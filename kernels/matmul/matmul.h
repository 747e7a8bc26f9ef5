// Matrix times a batch of rows: the linear layers of prefill, one op per weight type.
#pragma once

#include "kernels/halve_activations/halve_activations.h"
#include "kernels/quantize_activations/quantize_activations.h"
#include "kernels/weight_layout.h"

namespace assay {

// y[i] = W x[i] for t rows. Row-invariant: row i's bits depend on x[i] and W only, never on t or on
// the other rows. Per output the float additions are those of matvec.
struct MatmulArgs {
  const void* weights;  // (n, k), rows of row_bytes(dtype, k) bytes, contiguous
  const float* x;       // (t, k); null for quantised weight types
  QuantizedRows xq;     // (t, k); null for f16 and f32
  float* y;             // (t, n)
  int t;
  int n;
  int k;             // multiple of 32, and of the weight type's block
  HalfRows xh = {};  // (t, k), in place of x and xq, for variants that read halves
  WeightLayout layout = WeightLayout::kRaw;  // of `weights`; CPU variants read raw ones only
};

}  // namespace assay
