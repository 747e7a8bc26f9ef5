// Pieces of the rotary embedding on the GPU, for every mechanism that rotates.
//
// One thread per four half-split pairs or two interleaved ones (16 bytes of x at a time), or per
// pair where head_dim or a pointer does not permit that. Products and sums are those of
// cpu_portable.cpp, uncontracted, so the bits are the CPU's. The position of a decode step comes
// from device memory.
#pragma once

#include <cstdint>

#include "kernels/cuda_check.cuh"
#include "kernels/cuda_grid.cuh"
#include "kernels/rope/rope.h"

namespace assay::rope_cuda_pairs {

inline constexpr int kThreads = 128;

__device__ __forceinline__ void rotate(float& a, float& b, float cosine, float sine) {
  const float first = a * cosine - b * sine;
  b = b * cosine + a * sine;
  a = first;
}

// Half-split pairs (a.x, b.x), (a.y, b.y), ...
__device__ __forceinline__ void rotate(float4& a, float4& b, float4 cosine, float4 sine) {
  rotate(a.x, b.x, cosine.x, sine.x);
  rotate(a.y, b.y, cosine.y, sine.y);
  rotate(a.z, b.z, cosine.z, sine.z);
  rotate(a.w, b.w, cosine.w, sine.w);
}

// Interleaved pairs (x.x, x.y) and (x.z, x.w).
__device__ __forceinline__ void rotate(float4& x, float2 cosine, float2 sine) {
  rotate(x.x, x.y, cosine.x, sine.x);
  rotate(x.z, x.w, cosine.y, sine.y);
}

// Pair i of a head of 2 * half elements.
__device__ __forceinline__ void rotate_one(float* head, const float* cosine, const float* sine,
                                           int half, int i, bool interleaved) {
  float& a = head[interleaved ? 2 * i : i];
  float& b = head[interleaved ? 2 * i + 1 : i + half];
  rotate(a, b, cosine[i], sine[i]);
}

// Half-split pairs i .. i + 3.
__device__ __forceinline__ void rotate_four(float* head, const float* cosine, const float* sine,
                                            int half, int i) {
  auto* low = reinterpret_cast<float4*>(head + i);
  auto* high = reinterpret_cast<float4*>(head + half + i);
  float4 a = *low;
  float4 b = *high;
  rotate(a, b, *reinterpret_cast<const float4*>(cosine + i),
         *reinterpret_cast<const float4*>(sine + i));
  *low = a;
  *high = b;
}

// Interleaved pairs i and i + 1.
__device__ __forceinline__ void rotate_two(float* head, const float* cosine, const float* sine,
                                           int i) {
  auto* both = reinterpret_cast<float4*>(head + 2 * i);
  float4 x = *both;
  rotate(x, *reinterpret_cast<const float2*>(cosine + i),
         *reinterpret_cast<const float2*>(sine + i));
  *both = x;
}

// kPairs: of a thread. position: of row 0 on the device, or null.
template <int kPairs, bool kInterleaved>
static __global__ void __launch_bounds__(kThreads)
    rotate_rows(RopeArgs args, const std::int32_t* position) {
  const int half = args.head_dim / 2;
  const int groups = half / kPairs;  // of a head
  const int at = static_cast<int>(blockIdx.y) * kThreads + static_cast<int>(threadIdx.x);
  if (at >= args.heads * groups) return;
  const std::int64_t row = blockIdx.x;
  const std::int64_t first = position != nullptr ? *position : args.first_position;
  float* head = args.x + (row * args.heads + at / groups) * args.head_dim;
  const float* cosine = args.cosine + (first + row) * half;
  const float* sine = args.sine + (first + row) * half;
  const int i = at % groups * kPairs;
  if constexpr (kPairs == 4) {
    rotate_four(head, cosine, sine, half, i);
  } else if constexpr (kPairs == 2) {
    rotate_two(head, cosine, sine, i);
  } else {
    rotate_one(head, cosine, sine, half, i, kInterleaved);
  }
}

template <int kPairs, bool kInterleaved>
static inline void enqueue_pairs(const char* variant, const RopeArgs& args,
                                 const CudaLaunch& launch) {
  const std::int64_t groups = static_cast<std::int64_t>(args.heads) * (args.head_dim / 2 / kPairs);
  const dim3 grid(static_cast<unsigned>(args.t), cuda::groups_of(groups, kThreads));
  rotate_rows<kPairs, kInterleaved>
      <<<grid, kThreads, 0, cuda::stream_of(launch)>>>(args, launch.position);
  cuda::check_launch(variant);
}

// `variant`: whose launch this is.
static inline void enqueue(const char* variant, const RopeArgs& args, const CudaLaunch& launch) {
  const int half = args.head_dim / 2;
  const bool wide = cuda::aligned(16, {args.x, args.cosine, args.sine});
  if (args.interleaved) {
    if (wide && half % 2 == 0) return enqueue_pairs<2, true>(variant, args, launch);
    return enqueue_pairs<1, true>(variant, args, launch);
  }
  if (wide && half % 4 == 0) return enqueue_pairs<4, false>(variant, args, launch);
  enqueue_pairs<1, false>(variant, args, launch);
}

}  // namespace assay::rope_cuda_pairs
