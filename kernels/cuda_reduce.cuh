// Sums over a warp, in one fixed order.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace assay::cuda {

inline constexpr unsigned kWholeWarp = 0xffffffffu;

// Butterfly: partners 16, 8, 4, 2, 1 lanes away. Addition commutes, so every lane ends with the
// same bits. All 32 lanes take part.
__device__ __forceinline__ float warp_sum(float value) {
#pragma unroll
  for (int apart = 16; apart > 0; apart /= 2) {
    value = __fadd_rn(value, __shfl_xor_sync(kWholeWarp, value, apart));
  }
  return value;
}

// *counter += sum of `count` over the warp; touches memory only where there is something to add.
__device__ __forceinline__ void count_warp(std::uint64_t* counter, unsigned count) {
  const unsigned total = __reduce_add_sync(kWholeWarp, count);
  if (total != 0 && threadIdx.x % 32 == 0) {
    atomicAdd(reinterpret_cast<unsigned long long*>(counter), total);
  }
}

// Neither infinite nor NaN.
__device__ __forceinline__ bool is_finite(float x) {
  return (__float_as_uint(x) & 0x7fffffffu) < 0x7f800000u;
}

}  // namespace assay::cuda
