// Weights of any type as f16, for tensor-core GEMMs.
#pragma once

#include <cstddef>
#include <string>

#include "engine/core/dtype.h"
#include "kernels/cuda_launch.h"
#include "kernels/matmul/matmul.h"

namespace assay::cuda {

struct HalfWeights {
  const void* weights;  // (n, k) f16
  std::byte* rest;      // of the workspace, 256-byte aligned
  std::size_t rest_bytes;
};

// Enqueues the conversion of args.weights into the workspace; f16 weights are used where they are.
// Each value is scale * code - offset in f32 (kernels/blocks.h), rounded to the nearest f16, ties
// to even. Error where the workspace is too small; `variant` is the id that it and the launch name.
HalfWeights halve_weights(DType dtype, const MatmulArgs& args, const CudaLaunch& launch,
                          const char* variant);

}  // namespace assay::cuda
