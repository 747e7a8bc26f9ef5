// SwiGLU on the GPU: one thread per four elements; the last one to three, and all of them where a
// pointer does not permit 16-byte loads, one by one.
//
// The exponential is the host's own function, and division is IEEE's, so the bits are the CPU's.
#include <cstdint>

#include "kernels/cuda_check.cuh"
#include "kernels/cuda_grid.cuh"
#include "kernels/exp.h"
#include "kernels/swiglu/swiglu.h"

namespace assay::swiglu_cuda_vector {

constexpr int kThreads = 256;

__device__ __forceinline__ float gated(float gate, float up) {
  return __fdiv_rn(gate, 1.0f + exp_f32(-gate)) * up;
}

// gate, up, out (4 * fours + singles); out may be gate.
__global__ void __launch_bounds__(kThreads)
    swiglu_elements(const float* gate, const float* up, float* out, std::int64_t fours,
                    std::int64_t singles) {
  const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (at < fours) {
    const float4 g = reinterpret_cast<const float4*>(gate)[at];
    const float4 u = reinterpret_cast<const float4*>(up)[at];
    reinterpret_cast<float4*>(out)[at] = {gated(g.x, u.x), gated(g.y, u.y), gated(g.z, u.z),
                                          gated(g.w, u.w)};
  } else if (at < fours + singles) {
    const std::int64_t one = 4 * fours + (at - fours);
    out[one] = gated(gate[one], up[one]);
  }
}

void swiglu(const SwigluArgs& args, CudaLaunch& launch) {
  const bool wide = cuda::aligned(16, {args.gate, args.up, args.out});
  const std::int64_t fours = wide ? args.count / 4 : 0;
  const std::int64_t singles = args.count - 4 * fours;
  const unsigned blocks = cuda::groups_of(fours + singles, kThreads);
  swiglu_elements<<<blocks, kThreads, 0, cuda::stream_of(launch)>>>(args.gate, args.up, args.out,
                                                                    fours, singles);
  cuda::check_launch("swiglu.cuda.vector");
}

}  // namespace assay::swiglu_cuda_vector

ASSAY_CUDA_VARIANT(swiglu_cuda_vector, assay::SwigluArgs, assay::swiglu_cuda_vector::swiglu);
