// add_rms_norm_halve as one kernel: a row stays in its threads' registers between the sum of its
// squares, its largest magnitude and its halves.
//
// Per element 14 bytes move (x read and written, r read, a half written) where the three parts move
// 26; two barriers a row. Rows longer than eight elements a thread compute the rest of the norm
// twice, from the caches.
#include "kernels/add_rms_norm_halve/add_rms_norm_halve.h"
#include "kernels/halve_activations/cuda_block.cuh"
#include "kernels/rms_norm/cuda_residual_row.cuh"

namespace assay::add_rms_norm_halve_cuda_fused {

using namespace rms_norm_cuda_block;
using halve_activations_cuda_block::halved;
using halve_activations_cuda_block::look_at;
using halve_activations_cuda_block::row_max;
using halve_activations_cuda_block::RowFacts;

constexpr const char* kVariant = "add_rms_norm_halve.cuda.fused";

template <int kRowThreads, int kHeld>
static __global__ void __launch_bounds__(threads_of_block(kRowThreads), kRowThreads == 1024 ? 2 : 1)
    norm_halve_rows(AddRmsNormHalveArgs args) {
  constexpr bool kEarly = kHeld == 1;  // longer rows spare the registers for occupancy
  const int thread = static_cast<int>(threadIdx.x) % kRowThreads;
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * rows_of_block(kRowThreads) +
                           static_cast<int>(threadIdx.x) / kRowThreads;
  if (row >= args.t) return;  // whole warps
  const ResidualRow of{
      .x = reinterpret_cast<float4*>(args.x + row * args.k),
      .r = args.r == nullptr ? nullptr : reinterpret_cast<const float4*>(args.r + row * args.k),
      .w = reinterpret_cast<const float4*>(args.w),
      .vectors = args.k / 4};
  HeldVectors<kHeld> held = norm_of<kRowThreads, kEarly, kHeld>(of, thread, args.k, args.eps);
  RowFacts facts;
#pragma unroll
  for (int h = 0; h < kHeld; ++h) {
    const int i = thread + h * kRowThreads;
    if (i >= of.vectors) continue;
    held.x[h] = scaled(held.x[h], held.inverse, weight_of<kEarly>(held, of, h, i));
    look_at(facts, held.x[h]);
  }
#pragma unroll 1
  for (int i = thread + kHeld * kRowThreads; i < of.vectors; i += kRowThreads) {
    look_at(facts, scaled(of.x[i], held.inverse, of.w[i]));
  }
  const float divisor = half_row_scale(__uint_as_float(row_max<kRowThreads>(facts.amax)));
  const float inverse = __fdiv_rn(1.0f, divisor);
  auto* h_row = reinterpret_cast<ushort4*>(args.out.h + row * args.k);
#pragma unroll
  for (int h = 0; h < kHeld; ++h) {
    const int i = thread + h * kRowThreads;
    if (i < of.vectors) h_row[i] = halved(held.x[h], inverse);
  }
#pragma unroll 1
  for (int i = thread + kHeld * kRowThreads; i < of.vectors; i += kRowThreads) {
    h_row[i] = halved(scaled(of.x[i], held.inverse, of.w[i]), inverse);
  }
  if (thread == 0) args.out.scale[row] = divisor;
  cuda::count_warp(args.nonfinite, facts.nonfinite);
}

template <int kRowThreads, int kHeld>
void enqueue_rows(const AddRmsNormHalveArgs& args, const CudaLaunch& launch) {
  const unsigned blocks = cuda::groups_of(args.t, rows_of_block(kRowThreads));
  norm_halve_rows<kRowThreads, kHeld>
      <<<blocks, threads_of_block(kRowThreads), 0, cuda::stream_of(launch)>>>(args);
  cuda::check_launch(kVariant);
}

void run(const AddRmsNormHalveArgs& args, CudaLaunch& launch) {
  cuda::require_aligned(kVariant, 16, {args.x, args.r, args.w});
  cuda::require_aligned(kVariant, 8, {args.out.h});
  with_row_threads(args.k, [&](auto threads) {
    constexpr int kThreads = decltype(threads)::value;
    if (args.k <= 4 * kThreads) {
      enqueue_rows<kThreads, 1>(args, launch);
    } else {
      enqueue_rows<kThreads, 2>(args, launch);
    }
  });
}

}  // namespace assay::add_rms_norm_halve_cuda_fused

ASSAY_CUDA_VARIANT(add_rms_norm_halve_cuda_fused, assay::AddRmsNormHalveArgs,
                   assay::add_rms_norm_halve_cuda_fused::run);
