// Pieces of the cache's append on the GPU, for every mechanism that stores K and V.
//
// One thread per four elements of a head, or per element where head_dim, a stride or a pointer does
// not permit 8-byte stores. K and V are the two layers of the grid. The position of a decode step
// comes from device memory. The counter is touched by warps that stored something infinite or NaN,
// and by no others.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

#include "kernels/cuda_check.cuh"
#include "kernels/cuda_grid.cuh"
#include "kernels/cuda_reduce.cuh"
#include "kernels/kv_store/kv_store.h"

namespace assay::kv_store_cuda_rows {

inline constexpr int kThreads = 128;

// Stores the f16 of `x`; 1 where that is not finite.
__device__ __forceinline__ unsigned narrow(float x, std::uint16_t& to) {
  to = __half_as_ushort(__float2half_rn(x));
  return (to & 0x7c00u) == 0x7c00u ? 1u : 0u;
}
// The same for four at a multiple of 8 bytes; how many are not finite.
__device__ __forceinline__ unsigned narrow(float4 x, std::uint16_t* to) {
  ushort4 half;
  const unsigned nonfinite =
      narrow(x.x, half.x) + narrow(x.y, half.y) + narrow(x.z, half.z) + narrow(x.w, half.w);
  *reinterpret_cast<ushort4*>(to) = half;
  return nonfinite;
}

// position: of row 0 on the device, or null.
template <int kWidth>
static __global__ void __launch_bounds__(kThreads)
    store_rows(KvStoreArgs args, const std::int32_t* position) {
  const int at = (static_cast<int>(blockIdx.y) * kThreads + static_cast<int>(threadIdx.x)) * kWidth;
  const bool is_key = blockIdx.z == 0;
  unsigned nonfinite = 0;
  if (at < args.kv_heads * args.head_dim) {
    const std::int64_t row = blockIdx.x;
    const std::int64_t first = position != nullptr ? *position : args.first_position;
    const float* from = (is_key ? args.k : args.v) + row * args.kv_heads * args.head_dim + at;
    std::uint16_t* to = (is_key ? args.k_cache : args.v_cache) +
                        (first + row) * args.position_stride +
                        at / args.head_dim * args.head_stride + at % args.head_dim;
    if constexpr (kWidth == 1) {
      nonfinite = narrow(*from, *to);
    } else {
      nonfinite = narrow(*reinterpret_cast<const float4*>(from), to);
    }
  }
  cuda::count_warp(args.nonfinite, nonfinite);
}

template <int kWidth>
static inline void enqueue_width(const char* variant, const KvStoreArgs& args,
                                 const CudaLaunch& launch) {
  const std::int64_t groups = static_cast<std::int64_t>(args.kv_heads) * args.head_dim / kWidth;
  const dim3 grid(static_cast<unsigned>(args.t), cuda::groups_of(groups, kThreads), 2);
  store_rows<kWidth><<<grid, kThreads, 0, cuda::stream_of(launch)>>>(args, launch.position);
  cuda::check_launch(variant);
}

// `variant`: whose launch this is.
static inline void enqueue(const char* variant, const KvStoreArgs& args, const CudaLaunch& launch) {
  const bool fours =
      args.head_dim % 4 == 0 && args.position_stride % 4 == 0 && args.head_stride % 4 == 0;
  if (fours && cuda::aligned(16, {args.k, args.v}) &&
      cuda::aligned(8, {args.k_cache, args.v_cache})) {
    enqueue_width<4>(variant, args, launch);
  } else {
    enqueue_width<1>(variant, args, launch);
  }
}

}  // namespace assay::kv_store_cuda_rows
