// Root-mean-square normalisation on the GPU: a warp, 256 or 1,024 threads per row, by the row's
// length alone, so that a row's bits do not depend on how many rows there are.
//
// A thread keeps up to eight of its elements in registers between the sum and the product (rows up
// to 8,192), and asks for its weights before the sum, so that a decode step pays one trip to
// memory. Order of the sum: thread i takes vectors of four i, i + threads, ... as one chain of
// FMAs, then a butterfly over the warp, then one over the warps' sums.
#include <cstdint>

#include "kernels/cuda_check.cuh"
#include "kernels/cuda_grid.cuh"
#include "kernels/cuda_reduce.cuh"
#include "kernels/rms_norm/rms_norm.h"

namespace assay::rms_norm_cuda_block {

constexpr int kHeld = 2;  // vectors of four that a thread keeps in registers

constexpr int threads_of_block(int row_threads) {
  return row_threads == 32 ? 256 : row_threads;
}

__device__ __forceinline__ float add_squares(float sum, float4 x) {
  sum = __fmaf_rn(x.x, x.x, sum);
  sum = __fmaf_rn(x.y, x.y, sum);
  sum = __fmaf_rn(x.z, x.z, sum);
  return __fmaf_rn(x.w, x.w, sum);
}

__device__ __forceinline__ float4 scaled(float4 x, float inverse, float4 w) {
  return {(x.x * inverse) * w.x, (x.y * inverse) * w.y, (x.z * inverse) * w.z,
          (x.w * inverse) * w.w};
}

// Sum over the threads of a row; every thread gets it.
template <int kRowThreads>
__device__ __forceinline__ float row_sum(float sum) {
  sum = cuda::warp_sum(sum);
  if constexpr (kRowThreads > 32) {
    __shared__ float of_warp[kRowThreads / 32];
    const int lane = static_cast<int>(threadIdx.x) % 32;
    if (lane == 0) of_warp[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = cuda::warp_sum(lane < kRowThreads / 32 ? of_warp[lane] : 0.0f);
  }
  return sum;
}

template <int kRowThreads>
__global__ void __launch_bounds__(threads_of_block(kRowThreads)) norm_rows(RmsNormArgs args) {
  constexpr int kRows = threads_of_block(kRowThreads) / kRowThreads;  // of a block
  const int thread = static_cast<int>(threadIdx.x) % kRowThreads;
  const std::int64_t row =
      static_cast<std::int64_t>(blockIdx.x) * kRows + static_cast<int>(threadIdx.x) / kRowThreads;
  if (row >= args.t) return;  // whole warps
  const int vectors = args.k / 4;
  const auto* x = reinterpret_cast<const float4*>(args.x + row * args.k);
  const auto* w = reinterpret_cast<const float4*>(args.w);
  auto* y = reinterpret_cast<float4*>(args.y + row * args.k);
  float4 held[kHeld];
  float4 weight[kHeld];
  float sum = 0.0f;
#pragma unroll
  for (int h = 0; h < kHeld; ++h) {
    const int i = thread + h * kRowThreads;
    if (i >= vectors) continue;
    held[h] = x[i];
    weight[h] = w[i];
    sum = add_squares(sum, held[h]);
  }
#pragma unroll 1
  for (int i = thread + kHeld * kRowThreads; i < vectors; i += kRowThreads) {
    sum = add_squares(sum, x[i]);
  }
  const float mean = __fdiv_rn(row_sum<kRowThreads>(sum), static_cast<float>(args.k));
  const float inverse = __fdiv_rn(1.0f, __fsqrt_rn(mean + args.eps));
#pragma unroll
  for (int h = 0; h < kHeld; ++h) {
    const int i = thread + h * kRowThreads;
    if (i < vectors) y[i] = scaled(held[h], inverse, weight[h]);
  }
#pragma unroll 1
  for (int i = thread + kHeld * kRowThreads; i < vectors; i += kRowThreads) {
    y[i] = scaled(x[i], inverse, w[i]);
  }
}

template <int kRowThreads>
void enqueue(const RmsNormArgs& args, const CudaLaunch& launch) {
  constexpr int kThreads = threads_of_block(kRowThreads);
  const unsigned blocks = cuda::groups_of(args.t, kThreads / kRowThreads);
  norm_rows<kRowThreads><<<blocks, kThreads, 0, cuda::stream_of(launch)>>>(args);
  cuda::check_launch("rms_norm.cuda.block");
}

void rms_norm(const RmsNormArgs& args, CudaLaunch& launch) {
  cuda::require_aligned("rms_norm.cuda.block", 16, {args.x, args.w, args.y});
  if (args.k <= 256) {
    enqueue<32>(args, launch);
  } else if (args.k <= 2048) {
    enqueue<256>(args, launch);
  } else {
    enqueue<1024>(args, launch);
  }
}

}  // namespace assay::rms_norm_cuda_block

ASSAY_CUDA_VARIANT(rms_norm_cuda_block, assay::RmsNormArgs, assay::rms_norm_cuda_block::rms_norm);
