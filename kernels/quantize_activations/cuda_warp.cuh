// Pieces of quantize_activations on the GPU, for every mechanism that ends in quantised rows: eight
// lanes per block of 32, four blocks per warp.
//
// A lane has four elements and writes four codes as one word; amax and sum meet by three shuffles
// within the eight lanes. Division is IEEE's and the conversion rounds to nearest, ties to even, so
// every code, scale and sum is the CPU's. The counter is touched by warps that met something
// infinite or NaN, and by no others.
#pragma once

#include <cstdint>

#include "kernels/cuda_check.cuh"
#include "kernels/cuda_grid.cuh"
#include "kernels/cuda_reduce.cuh"
#include "kernels/quantize_activations/quantize_activations.h"

namespace assay::quantize_activations_cuda_warp {

inline constexpr int kThreads = 128;
inline constexpr int kLanes = 8;  // of a block of 32

__device__ __forceinline__ float finite_or_zero(float x, unsigned& nonfinite) {
  const bool good = cuda::is_finite(x);
  nonfinite += good ? 0u : 1u;
  return good ? x : 0.0f;
}

// Elements 4 * vector .. of all rows -> out; returns how many were not finite. The whole warp takes
// part, lane by lane with consecutive vectors, the first a multiple of kLanes; lanes that are not
// active have zeros and write nothing.
__device__ __forceinline__ unsigned quantize_four(float4 v, bool active, std::int64_t vector,
                                                  const QuantizedRows& out) {
  unsigned bad = 0;
  v = {finite_or_zero(v.x, bad), finite_or_zero(v.y, bad), finite_or_zero(v.z, bad),
       finite_or_zero(v.w, bad)};
  float amax = fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w)));
#pragma unroll
  for (int apart = kLanes / 2; apart > 0; apart /= 2) {
    amax = fmaxf(amax, __shfl_xor_sync(cuda::kWholeWarp, amax, apart));
  }
  const bool zero = amax < 0x1p-119f;
  const float scale = zero ? 1.0f : __fdiv_rn(amax, 127.0f);
  const auto code = [&](float value) { return zero ? 0 : __float2int_rn(__fdiv_rn(value, scale)); };
  const int q[4] = {code(v.x), code(v.y), code(v.z), code(v.w)};
  int sum = (q[0] + q[1]) + (q[2] + q[3]);
#pragma unroll
  for (int apart = kLanes / 2; apart > 0; apart /= 2) {
    sum += __shfl_xor_sync(cuda::kWholeWarp, sum, apart);
  }
  if (active) {
    reinterpret_cast<std::uint32_t*>(out.q)[vector] =
        static_cast<std::uint32_t>(q[0] & 0xff) | static_cast<std::uint32_t>(q[1] & 0xff) << 8 |
        static_cast<std::uint32_t>(q[2] & 0xff) << 16 | static_cast<std::uint32_t>(q[3]) << 24;
    if (vector % kLanes == 0) {
      out.d[vector / kLanes] = zero ? 0.0f : scale;
      out.sum[vector / kLanes] = static_cast<std::int16_t>(sum);
    }
  }
  return bad;
}

// x (4 * vectors) -> out
template <int kBlockThreads>
static __global__ void __launch_bounds__(kBlockThreads)
    quantize_blocks(const float4* x, QuantizedRows out, std::int64_t vectors,
                    std::uint64_t* nonfinite) {
  const std::int64_t vector = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
  const bool active = vector < vectors;  // every lane stays for the shuffles
  const float4 v = active ? x[vector] : float4{0.0f, 0.0f, 0.0f, 0.0f};
  cuda::count_warp(nonfinite, quantize_four(v, active, vector, out));
}

// `variant`: whose launch this is.
static inline void enqueue(const char* variant, const QuantizeActivationsArgs& args,
                           const CudaLaunch& launch) {
  cuda::require_aligned(variant, 16, {args.x});
  cuda::require_aligned(variant, 4, {args.out.q});
  const std::int64_t vectors = static_cast<std::int64_t>(args.t) * (args.k / 4);
  quantize_blocks<kThreads>
      <<<cuda::groups_of(vectors, kThreads), kThreads, 0, cuda::stream_of(launch)>>>(
          reinterpret_cast<const float4*>(args.x), args.out, vectors, args.nonfinite);
  cuda::check_launch(variant);
}

}  // namespace assay::quantize_activations_cuda_warp
