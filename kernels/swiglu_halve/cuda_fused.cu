// swiglu_halve as one kernel, a thread block per row, one pass over gate and up for nearly every
// row.
//
// A row's scale is known only when its largest magnitude is, and a row of 18,944 results is 74 KB.
// But the scale of most rows is 1 (largest magnitude in [2^-8, 2^15]), and halves by a scale of 1
// are plain roundings. So the pass writes those as it goes and looks at the magnitudes; a row whose
// scale turns out to be another is computed once more, by the same operations, and overwritten.
// Per element 10 bytes move, 20 in a row of the second kind; swiglu and halve_activations move 18
// to 22. Rejected: a row in registers (1,024 threads of 20 elements: loads and stores of a
// multiprocessor in turns) or in shared memory (three rows at a time, a limit on k).
#include "kernels/halve_activations/cuda_block.cuh"
#include "kernels/swiglu/cuda_vector.cuh"
#include "kernels/swiglu_halve/swiglu_halve.h"

namespace assay::swiglu_halve_cuda_fused {

using halve_activations_cuda_block::halved;
using halve_activations_cuda_block::look_at;
using halve_activations_cuda_block::RowFacts;

constexpr const char* kVariant = "swiglu_halve.cuda.fused";
constexpr int kThreads = 512;

// gate, up (t, vectors) of four -> h (t, vectors), scale (t)
static __global__ void __launch_bounds__(kThreads, 4)
    gate_halve_rows(const float4* gate, const float4* up, ushort4* h, float* scale, int vectors,
                    std::uint64_t* nonfinite) {
  const std::int64_t row = blockIdx.x;
  gate += row * vectors;
  up += row * vectors;
  h += row * vectors;
  RowFacts facts;
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < vectors; i += kThreads) {
    const float4 x = swiglu_cuda_vector::gated(gate[i], up[i]);
    look_at(facts, x);
    h[i] = halved(x, 1.0f);
  }
  const float divisor =
      half_row_scale(__uint_as_float(halve_activations_cuda_block::row_max<kThreads>(facts.amax)));
  if (divisor != 1.0f) {  // the whole block
    const float inverse = __fdiv_rn(1.0f, divisor);
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x); i < vectors; i += kThreads) {
      h[i] = halved(swiglu_cuda_vector::gated(gate[i], up[i]), inverse);
    }
  }
  if (threadIdx.x == 0) scale[row] = divisor;
  cuda::count_warp(nonfinite, facts.nonfinite);
}

void run(const SwigluHalveArgs& args, CudaLaunch& launch) {
  cuda::require_aligned(kVariant, 16, {args.gate, args.up});
  cuda::require_aligned(kVariant, 8, {args.out.h});
  gate_halve_rows<<<static_cast<unsigned>(args.t), kThreads, 0, cuda::stream_of(launch)>>>(
      reinterpret_cast<const float4*>(args.gate), reinterpret_cast<const float4*>(args.up),
      reinterpret_cast<ushort4*>(args.out.h), args.out.scale, args.k / 4, args.nonfinite);
  cuda::check_launch(kVariant);
}

}  // namespace assay::swiglu_halve_cuda_fused

ASSAY_CUDA_VARIANT(swiglu_halve_cuda_fused, assay::SwigluHalveArgs,
                   assay::swiglu_halve_cuda_fused::run);
