// Matrix times vector: the linear layers of a decode step, one op per weight type.
#pragma once

#include "engine/core/dtype.h"
#include "kernels/quantize_activations/quantize_activations.h"
#include "kernels/weight_layout.h"

namespace assay {

// y = W x. Quantised weight types read the quantised activations `xq`; f16 and f32 weights read x.
struct MatvecArgs {
  const void* weights;  // (n, k), rows of row_bytes(dtype, k) bytes, contiguous
  const float* x;       // (k); null for quantised weight types
  QuantizedRows xq;     // (1, k); null for f16 and f32
  float* y;             // (n)
  int n;
  int k;                                     // multiple of 32, and of the weight type's block
  WeightLayout layout = WeightLayout::kRaw;  // of `weights`; CPU variants read raw ones only
};

// The order of float additions that every CPU variant of every type keeps: eight partial sums, lane
// j taking 32-blocks (quantised types) or elements (f16, f32) j, j + 8, ... in rising order, each
// term formed as written in kernels/matvec/README.md, then ((0+4)+(2+6)) + ((1+5)+(3+7)). CUDA
// variants share another order, written down there too.

}  // namespace assay
