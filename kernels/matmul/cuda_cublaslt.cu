// Prefill matmul by the vendor's GEMM: weights to f16, one GEMM of halves, then the rows' scales.
//
// What a user of the vendor's library would build, and the bar for every other mechanism. The
// GEMM's algorithm is fixed per (n, k) (kernels/matmul/cublaslt.h). Rows of activations whose scale
// is not 1 are rare (kernels/halve_activations), so their outputs are multiplied afterwards by a
// kernel whose other blocks return at once; a power of two changes no bit of a normal output.
#include <string>

#include "kernels/cuda_check.cuh"
#include "kernels/matmul/cublaslt.h"
#include "kernels/matmul/cuda_dequantize.cuh"

namespace assay::matmul_cuda_cublaslt {

inline constexpr int kThreads = 256;

// y (t, n): row i *= scale[i]. One block per row.
__global__ void __launch_bounds__(kThreads) scale_rows(const float* scale, float* y, int n) {
  const float factor = scale[blockIdx.x];
  if (factor == 1.0f) return;
  float* row = y + static_cast<std::int64_t>(blockIdx.x) * n;
  for (int i = static_cast<int>(threadIdx.x); i < n; i += kThreads) row[i] *= factor;
}

template <DType kDType>
void matmul(const MatmulArgs& args, CudaLaunch& launch) {
  static const std::string op = "matmul_" + std::string(traits(kDType).suffix);
  static const std::string variant = op + ".cuda.cublaslt";
  if (launch.blas == nullptr) refuse_without_cublaslt(op);
  const cuda::HalfWeights half = cuda::halve_weights(kDType, args, launch, variant.c_str());
  launch.blas->multiply({.weights = half.weights,
                         .x = args.xh.h,
                         .y = args.y,
                         .rows = cuda_padded_rows(args.t),
                         .n = args.n,
                         .k = args.k,
                         .workspace = half.rest,
                         .workspace_bytes = half.rest_bytes,
                         .stream = launch.stream});
  const auto stream = static_cast<cudaStream_t>(launch.stream);
  scale_rows<<<static_cast<unsigned>(args.t), kThreads, 0, stream>>>(args.xh.scale, args.y, args.n);
  cuda::check_launch(variant.c_str());
}

}  // namespace assay::matmul_cuda_cublaslt

#define ASSAY_MATMUL(suffix, dtype)                                      \
  ASSAY_CUDA_VARIANT(matmul_##suffix##_cuda_cublaslt, assay::MatmulArgs, \
                     assay::matmul_cuda_cublaslt::matmul<assay::DType::dtype>)
ASSAY_MATMUL(f32, kF32);
ASSAY_MATMUL(f16, kF16);
ASSAY_MATMUL(bf16, kBF16);
ASSAY_MATMUL(q4_0, kQ4_0);
ASSAY_MATMUL(q4_1, kQ4_1);
ASSAY_MATMUL(q5_0, kQ5_0);
ASSAY_MATMUL(q5_1, kQ5_1);
ASSAY_MATMUL(q8_0, kQ8_0);
ASSAY_MATMUL(q4k, kQ4K);
ASSAY_MATMUL(q5k, kQ5K);
ASSAY_MATMUL(q6k, kQ6K);
