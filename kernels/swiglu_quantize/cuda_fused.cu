// swiglu_quantize as one kernel: quantize_activations.cuda.warp whose elements are made from gate
// and up where they are needed. A decode step launches one kernel in place of two, and the product
// never goes to memory.
#include "kernels/quantize_activations/cuda_warp.cuh"
#include "kernels/swiglu/cuda_vector.cuh"
#include "kernels/swiglu_quantize/swiglu_quantize.h"

namespace assay::swiglu_quantize_cuda_fused {

constexpr const char* kVariant = "swiglu_quantize.cuda.fused";
constexpr int kThreads = quantize_activations_cuda_warp::kThreads;

// gate, up (4 * vectors) -> out
static __global__ void __launch_bounds__(kThreads)
    gate_quantize_blocks(const float4* gate, const float4* up, QuantizedRows out,
                         std::int64_t vectors, std::uint64_t* nonfinite) {
  const std::int64_t vector = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  const bool active = vector < vectors;  // every lane stays for the shuffles
  float4 v{};
  if (active) v = swiglu_cuda_vector::gated(gate[vector], up[vector]);
  cuda::count_warp(nonfinite,
                   quantize_activations_cuda_warp::quantize_four(v, active, vector, out));
}

void run(const SwigluQuantizeArgs& args, CudaLaunch& launch) {
  cuda::require_aligned(kVariant, 16, {args.gate, args.up});
  cuda::require_aligned(kVariant, 4, {args.out.q});
  const std::int64_t vectors = static_cast<std::int64_t>(args.t) * (args.k / 4);
  gate_quantize_blocks<<<cuda::groups_of(vectors, kThreads), kThreads, 0,
                         cuda::stream_of(launch)>>>(reinterpret_cast<const float4*>(args.gate),
                                                    reinterpret_cast<const float4*>(args.up),
                                                    args.out, vectors, args.nonfinite);
  cuda::check_launch(kVariant);
}

}  // namespace assay::swiglu_quantize_cuda_fused

ASSAY_CUDA_VARIANT(swiglu_quantize_cuda_fused, assay::SwigluQuantizeArgs,
                   assay::swiglu_quantize_cuda_fused::run);
