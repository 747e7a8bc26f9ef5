// Copies from global to shared memory that run beside the arithmetic (cp.async), 16 bytes each.
//
// A thread's copies since the last commit form a group; waiting for all but the newest n groups
// makes the older ones visible to the thread itself, and to the block after a barrier.
#pragma once

#include <cstdint>

namespace assay::cuda {

__device__ __forceinline__ std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

// 16 bytes, both addresses multiples of 16; zeros where `inside` is false, and `from` is not read.
__device__ __forceinline__ void copy_16_async(std::uint32_t to, const void* from, bool inside) {
  const int bytes = inside ? 16 : 0;
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;\n" ::"r"(to), "l"(from),
               "r"(bytes)
               : "memory");
}

__device__ __forceinline__ void commit_copies() {
  asm volatile("cp.async.commit_group;\n" ::: "memory");
}

template <int kPending>
__device__ __forceinline__ void wait_copies() {
  asm volatile("cp.async.wait_group %0;\n" ::"n"(kPending) : "memory");
}

}  // namespace assay::cuda
