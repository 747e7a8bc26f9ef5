// add_rms_norm_quantize as one kernel: a row never leaves its threads.
//
// A thread's vectors of four are those of rms_norm.cuda.block, and eight neighbouring threads hold
// a block of 32, as quantize_activations.cuda.warp wants it: the normed row needs no memory, the
// two reductions that are left are the row's sum (one barrier) and three shuffles per block. A
// decode step pays one trip to memory for x, r and the weights together. Rows longer than eight
// elements a thread read the rest of x twice, from the caches.
#include "kernels/add_rms_norm_quantize/add_rms_norm_quantize.h"
#include "kernels/quantize_activations/cuda_warp.cuh"
#include "kernels/rms_norm/cuda_residual_row.cuh"

namespace assay::add_rms_norm_quantize_cuda_fused {

using namespace rms_norm_cuda_block;

constexpr const char* kVariant = "add_rms_norm_quantize.cuda.fused";

template <int kRowThreads, int kHeld>
static __global__ void __launch_bounds__(threads_of_block(kRowThreads))
    norm_quantize_rows(AddRmsNormQuantizeArgs args) {
  const int thread = static_cast<int>(threadIdx.x) % kRowThreads;
  const int lane = thread % 32;
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * rows_of_block(kRowThreads) +
                           static_cast<int>(threadIdx.x) / kRowThreads;
  if (row >= args.t) return;  // whole warps
  const ResidualRow of{
      .x = reinterpret_cast<float4*>(args.x + row * args.k),
      .r = args.r == nullptr ? nullptr : reinterpret_cast<const float4*>(args.r + row * args.k),
      .w = reinterpret_cast<const float4*>(args.w),
      .vectors = args.k / 4};
  const HeldVectors<kHeld> held = norm_of<kRowThreads, true, kHeld>(of, thread, args.k, args.eps);
  const std::int64_t first = row * of.vectors;
  unsigned bad = 0;
#pragma unroll
  for (int h = 0; h < kHeld; ++h) {
    const int i = thread + h * kRowThreads;
    if (i - lane >= of.vectors) continue;  // whole warps
    const bool inside = i < of.vectors;
    const float4 y = inside ? scaled(held.x[h], held.inverse, held.w[h]) : float4{};
    bad += quantize_activations_cuda_warp::quantize_four(y, inside, first + i, args.out);
  }
#pragma unroll 1
  for (int i = thread + kHeld * kRowThreads; i - lane < of.vectors; i += kRowThreads) {
    const bool inside = i < of.vectors;
    const float4 y = inside ? scaled(of.x[i], held.inverse, of.w[i]) : float4{};
    bad += quantize_activations_cuda_warp::quantize_four(y, inside, first + i, args.out);
  }
  cuda::count_warp(args.nonfinite, bad);
}

template <int kRowThreads, int kHeld>
void enqueue_rows(const AddRmsNormQuantizeArgs& args, const CudaLaunch& launch) {
  const unsigned blocks = cuda::groups_of(args.t, rows_of_block(kRowThreads));
  norm_quantize_rows<kRowThreads, kHeld>
      <<<blocks, threads_of_block(kRowThreads), 0, cuda::stream_of(launch)>>>(args);
  cuda::check_launch(kVariant);
}

void run(const AddRmsNormQuantizeArgs& args, CudaLaunch& launch) {
  cuda::require_aligned(kVariant, 16, {args.x, args.r, args.w});
  cuda::require_aligned(kVariant, 4, {args.out.q});
  with_row_threads(args.k, [&](auto threads) {
    constexpr int kThreads = decltype(threads)::value;
    if (args.k <= 4 * kThreads) {
      enqueue_rows<kThreads, 1>(args, launch);
    } else {
      enqueue_rows<kThreads, 2>(args, launch);
    }
  });
}

}  // namespace assay::add_rms_norm_quantize_cuda_fused

ASSAY_CUDA_VARIANT(add_rms_norm_quantize_cuda_fused, assay::AddRmsNormQuantizeArgs,
                   assay::add_rms_norm_quantize_cuda_fused::run);
