// Pieces of SwiGLU on the GPU, for every mechanism that computes it.
//
// The exponential is the host's own function, and division is IEEE's, so the bits are the CPU's.
#pragma once

#include <cstdint>

#include "kernels/cuda_check.cuh"
#include "kernels/cuda_grid.cuh"
#include "kernels/exp.h"
#include "kernels/swiglu/swiglu.h"

namespace assay::swiglu_cuda_vector {

inline constexpr int kThreads = 256;

__device__ __forceinline__ float gated(float gate, float up) {
  return __fdiv_rn(gate, 1.0f + exp_f32(-gate)) * up;
}
__device__ __forceinline__ float4 gated(float4 gate, float4 up) {
  return {gated(gate.x, up.x), gated(gate.y, up.y), gated(gate.z, up.z), gated(gate.w, up.w)};
}

// gate, up, out (4 * fours + singles); out may be gate.
template <int kBlockThreads>
static __global__ void __launch_bounds__(kBlockThreads)
    swiglu_elements(const float* gate, const float* up, float* out, std::int64_t fours,
                    std::int64_t singles) {
  const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
  if (at < fours) {
    reinterpret_cast<float4*>(out)[at] =
        gated(reinterpret_cast<const float4*>(gate)[at], reinterpret_cast<const float4*>(up)[at]);
  } else if (at < fours + singles) {
    const std::int64_t one = 4 * fours + (at - fours);
    out[one] = gated(gate[one], up[one]);
  }
}

// `variant`: whose launch this is.
static inline void enqueue(const char* variant, const SwigluArgs& args, const CudaLaunch& launch) {
  const bool wide = cuda::aligned(16, {args.gate, args.up, args.out});
  const std::int64_t fours = wide ? args.count / 4 : 0;
  const std::int64_t singles = args.count - 4 * fours;
  swiglu_elements<kThreads>
      <<<cuda::groups_of(fours + singles, kThreads), kThreads, 0, cuda::stream_of(launch)>>>(
          args.gate, args.up, args.out, fours, singles);
  cuda::check_launch(variant);
}

}  // namespace assay::swiglu_cuda_vector
