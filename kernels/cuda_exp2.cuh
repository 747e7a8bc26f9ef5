// The exponential of CUDA attention, by the hardware's approximation.
#pragma once

namespace assay::cuda {

// 2^x within 2 ulp, exactly 1 for 0; 0 for -inf and where the result is below 2^-126.
__device__ __forceinline__ float exp2_approximate(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;\n" : "=f"(y) : "f"(x));
  return y;
}

inline constexpr float kLog2E = 1.4426950408889634f;  // e^x = 2^(x log2(e))

}  // namespace assay::cuda
