// add_rms_norm_quantize as the kernels of its three parts, one after the other.
#include "kernels/add/cuda_vector.cuh"
#include "kernels/add_rms_norm_quantize/add_rms_norm_quantize.h"
#include "kernels/quantize_activations/cuda_warp.cuh"
#include "kernels/rms_norm/cuda_block.cuh"

namespace assay::add_rms_norm_quantize_cuda_separate {

constexpr const char* kVariant = "add_rms_norm_quantize.cuda.separate";

void run(const AddRmsNormQuantizeArgs& args, CudaLaunch& launch) {
  if (args.r != nullptr) {
    add_cuda_vector::enqueue(
        kVariant,
        {.a = args.x, .b = args.r, .out = args.x, .t = args.t, .k = args.k, .broadcast = false},
        launch);
  }
  rms_norm_cuda_block::enqueue(
      kVariant,
      {.x = args.x, .w = args.w, .y = args.normed, .t = args.t, .k = args.k, .eps = args.eps},
      launch);
  quantize_activations_cuda_warp::enqueue(
      kVariant,
      {.x = args.normed, .out = args.out, .t = args.t, .k = args.k, .nonfinite = args.nonfinite},
      launch);
}

}  // namespace assay::add_rms_norm_quantize_cuda_separate

ASSAY_CUDA_VARIANT(add_rms_norm_quantize_cuda_separate, assay::AddRmsNormQuantizeArgs,
                   assay::add_rms_norm_quantize_cuda_separate::run);
