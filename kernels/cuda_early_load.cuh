// A 16-byte load that is issued where it is written.
//
// Compilers move a load towards its first use to spare registers, past a branch or a shuffle that
// then waits in vain; where several loads shall be under way together this one stays in its place.
#pragma once

#include <cstdint>

namespace assay::cuda {

// From memory that nothing writes while the kernel runs, at a multiple of 16 bytes; zeros, and no
// access, where `inside` is false.
__device__ __forceinline__ uint4 load_early(const void* from, bool inside) {
  uint4 words;
  asm volatile(
      "{\n.reg .pred inside;\nsetp.ne.s32 inside, %5, 0;\nmov.b32 %0, 0;\nmov.b32 %1, 0;\n"
      "mov.b32 %2, 0;\nmov.b32 %3, 0;\n"
      "@inside ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];\n}\n"
      : "=&r"(words.x), "=&r"(words.y), "=&r"(words.z), "=&r"(words.w)
      : "l"(from), "r"(static_cast<int>(inside)));
  return words;
}

__device__ __forceinline__ float4 load_early_floats(const float* from, bool inside) {
  const uint4 words = load_early(from, inside);
  return make_float4(__uint_as_float(words.x), __uint_as_float(words.y), __uint_as_float(words.z),
                     __uint_as_float(words.w));
}

}  // namespace assay::cuda
