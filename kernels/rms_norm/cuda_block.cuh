// Pieces of the RMS norm on the GPU, for every mechanism that normalises rows: how many threads a
// row has, the one order of its sum, and the plain kernel.
//
// A warp, 256 or 1,024 threads per row, by the row's length alone, so that a row's bits do not
// depend on how many rows there are. Order of the sum: thread i takes vectors of four i, i +
// threads, ... as one chain of FMAs, then a butterfly over the warp, then one over the warps' sums.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/cuda_check.cuh"
#include "kernels/cuda_grid.cuh"
#include "kernels/cuda_reduce.cuh"
#include "kernels/rms_norm/rms_norm.h"

namespace assay::rms_norm_cuda_block {

inline constexpr int kPlainHeld = 2;  // vectors of four that a thread of norm_rows keeps

constexpr int threads_of_block(int row_threads) {
  return row_threads == 32 ? 256 : row_threads;
}
constexpr int rows_of_block(int row_threads) {
  return threads_of_block(row_threads) / row_threads;
}

// function(std::integral_constant<int, threads of a row of k>)
template <typename Function>
static inline void with_row_threads(int k, const Function& function) {
  if (k <= 256) {
    function(std::integral_constant<int, 32>{});
  } else if (k <= 2048) {
    function(std::integral_constant<int, 256>{});
  } else {
    function(std::integral_constant<int, 1024>{});
  }
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

// 1 / sqrt(mean + eps), from each thread's share of the squares.
template <int kRowThreads>
__device__ __forceinline__ float inverse_root(float share, int k, float eps) {
  const float mean = __fdiv_rn(row_sum<kRowThreads>(share), static_cast<float>(k));
  return __fdiv_rn(1.0f, __fsqrt_rn(mean + eps));
}

template <int kRowThreads>
static __global__ void __launch_bounds__(threads_of_block(kRowThreads))
    norm_rows(RmsNormArgs args) {
  const int thread = static_cast<int>(threadIdx.x) % kRowThreads;
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * rows_of_block(kRowThreads) +
                           static_cast<int>(threadIdx.x) / kRowThreads;
  if (row >= args.t) return;  // whole warps
  const int vectors = args.k / 4;
  const auto* x = reinterpret_cast<const float4*>(args.x + row * args.k);
  const auto* w = reinterpret_cast<const float4*>(args.w);
  auto* y = reinterpret_cast<float4*>(args.y + row * args.k);
  float4 held[kPlainHeld];
  float4 weight[kPlainHeld];
  float sum = 0.0f;
#pragma unroll
  for (int h = 0; h < kPlainHeld; ++h) {
    const int i = thread + h * kRowThreads;
    if (i >= vectors) continue;
    held[h] = x[i];
    weight[h] = w[i];
    sum = add_squares(sum, held[h]);
  }
#pragma unroll 1
  for (int i = thread + kPlainHeld * kRowThreads; i < vectors; i += kRowThreads) {
    sum = add_squares(sum, x[i]);
  }
  const float inverse = inverse_root<kRowThreads>(sum, args.k, args.eps);
#pragma unroll
  for (int h = 0; h < kPlainHeld; ++h) {
    const int i = thread + h * kRowThreads;
    if (i < vectors) y[i] = scaled(held[h], inverse, weight[h]);
  }
#pragma unroll 1
  for (int i = thread + kPlainHeld * kRowThreads; i < vectors; i += kRowThreads) {
    y[i] = scaled(x[i], inverse, w[i]);
  }
}

// `variant`: whose launch this is.
static inline void enqueue(const char* variant, const RmsNormArgs& args, const CudaLaunch& launch) {
  cuda::require_aligned(variant, 16, {args.x, args.w, args.y});
  with_row_threads(args.k, [&](auto threads) {
    const unsigned blocks = cuda::groups_of(args.t, rows_of_block(threads()));
    norm_rows<decltype(threads)::value>
        <<<blocks, threads_of_block(threads()), 0, cuda::stream_of(launch)>>>(args);
    cuda::check_launch(variant);
  });
}

}  // namespace assay::rms_norm_cuda_block
