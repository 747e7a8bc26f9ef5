// Pairs of f16 in a 32-bit word, as memory and tensor cores have them, from and to f32.
#pragma once

#include <cstdint>

namespace assay::cuda {

// Nearest even; `low` in the lower 16 bits.
__device__ __forceinline__ std::uint32_t pack_halves(float low, float high) {
  std::uint32_t word;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;\n" : "=r"(word) : "f"(high), "f"(low));
  return word;
}

__device__ __forceinline__ float2 unpack_halves(std::uint32_t word) {
  float2 pair;
  asm("{\n.reg .b16 low, high;\nmov.b32 {low, high}, %2;\ncvt.f32.f16 %0, low;\n"
      "cvt.f32.f16 %1, high;\n}\n"
      : "=f"(pair.x), "=f"(pair.y)
      : "r"(word));
  return pair;
}

}  // namespace assay::cuda
