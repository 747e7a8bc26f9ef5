// Pieces of halve_activations on the GPU, for every mechanism that ends in halved rows.
//
// The largest finite magnitude of a row is an integer maximum of bit patterns, which is exact in
// any order, so a row's bits depend on nothing but the row. Elements are multiplied by the scale's
// reciprocal: both are powers of two, so that product rounds as the quotient does.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

#include "kernels/cuda_check.cuh"
#include "kernels/cuda_grid.cuh"
#include "kernels/cuda_reduce.cuh"
#include "kernels/halve_activations/halve_activations.h"
#include "kernels/halve_activations/row_scale.h"

namespace assay::halve_activations_cuda_block {

inline constexpr int kThreads = 256;

struct RowFacts {
  unsigned amax = 0;  // bits of the largest finite magnitude
  unsigned nonfinite = 0;
};

__device__ __forceinline__ void look_at(RowFacts& facts, float x) {
  const unsigned magnitude = __float_as_uint(x) & 0x7fffffffu;
  const bool good = magnitude < 0x7f800000u;
  facts.amax = max(facts.amax, good ? magnitude : 0u);
  facts.nonfinite += good ? 0u : 1u;
}
__device__ __forceinline__ void look_at(RowFacts& facts, float4 x) {
  look_at(facts, x.x);
  look_at(facts, x.y);
  look_at(facts, x.z);
  look_at(facts, x.w);
}

__device__ __forceinline__ std::uint16_t halved(float x, float inverse) {
  return cuda::is_finite(x) ? __half_as_ushort(__float2half_rn(x * inverse)) : std::uint16_t{0};
}
__device__ __forceinline__ ushort4 halved(float4 x, float inverse) {
  return {halved(x.x, inverse), halved(x.y, inverse), halved(x.z, inverse), halved(x.w, inverse)};
}

// The largest `amax` of a row's threads, which are a warp or the block; every thread gets it.
template <int kRowThreads>
__device__ __forceinline__ unsigned row_max(unsigned amax) {
  amax = __reduce_max_sync(cuda::kWholeWarp, amax);
  if constexpr (kRowThreads > 32) {
    __shared__ unsigned of_warp[kRowThreads / 32];
    const unsigned lane = threadIdx.x % 32;
    if (lane == 0) of_warp[threadIdx.x / 32] = amax;
    __syncthreads();
    amax = __reduce_max_sync(cuda::kWholeWarp, of_warp[lane % (kRowThreads / 32)]);
  }
  return amax;
}

// x (t, columns) -> h (t, columns), scale (t)
template <typename Vector, typename Halves>
static __global__ void __launch_bounds__(kThreads)
    halve_rows(const Vector* x, Halves* h, float* scale, int columns, std::uint64_t* nonfinite) {
  const std::int64_t row = blockIdx.x;
  x += row * columns;
  h += row * columns;
  RowFacts facts;
  for (int i = static_cast<int>(threadIdx.x); i < columns; i += kThreads) look_at(facts, x[i]);
  const float divisor = half_row_scale(__uint_as_float(row_max<kThreads>(facts.amax)));
  const float inverse = __fdiv_rn(1.0f, divisor);
  for (int i = static_cast<int>(threadIdx.x); i < columns; i += kThreads) {
    h[i] = halved(x[i], inverse);
  }
  if (threadIdx.x == 0) scale[row] = divisor;
  cuda::count_warp(nonfinite, facts.nonfinite);
}

template <typename Vector, typename Halves>
static inline void enqueue_vectors(const char* variant, const HalveActivationsArgs& args,
                                   const CudaLaunch& launch) {
  const int columns = args.k / static_cast<int>(sizeof(Vector) / sizeof(float));
  halve_rows<Vector, Halves>
      <<<static_cast<unsigned>(args.t), kThreads, 0, cuda::stream_of(launch)>>>(
          reinterpret_cast<const Vector*>(args.x), reinterpret_cast<Halves*>(args.out.h),
          args.out.scale, columns, args.nonfinite);
  cuda::check_launch(variant);
}

// `variant`: whose launch this is.
static inline void enqueue(const char* variant, const HalveActivationsArgs& args,
                           const CudaLaunch& launch) {
  if (args.k % 4 == 0 && cuda::aligned(16, {args.x}) && cuda::aligned(8, {args.out.h})) {
    enqueue_vectors<float4, ushort4>(variant, args, launch);
  } else {
    enqueue_vectors<float, std::uint16_t>(variant, args, launch);
  }
}

}  // namespace assay::halve_activations_cuda_block
