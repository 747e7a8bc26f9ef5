// Linear layers in fp64 on the device, with the budget of every output.
#pragma once

#include <cuda_runtime.h>

#include "engine/core/dtype.h"
#include "kernels/halve_activations/halve_activations.h"
#include "kernels/quantize_activations/quantize_activations.h"

namespace assay::sweep {

// One row of activations times raw weights (n, k), as matvec gets them: `x` for float types, `xq`
// for the others. value, budget (n).
struct ExactMatvec {
  DType dtype;
  const void* weights;
  int n;
  int k;
  const float* x;
  QuantizedRows xq;
  double* value;
  double* budget;
};
void exact_matvec(const ExactMatvec& problem, cudaStream_t stream);

// Rows of halves times raw weights rounded to halves, as tensor cores multiply them: of xh the rows
// in `rows` (count). value, budget (count, n).
struct ExactHalfMatmul {
  DType dtype;
  const void* weights;
  int n;
  int k;
  HalfRows xh;
  const int* rows;
  int count;
  double* value;
  double* budget;
};
void exact_half_matmul(const ExactHalfMatmul& problem, cudaStream_t stream);

}  // namespace assay::sweep
