// add_rms_norm_halve as the kernels of its three parts, one after the other.
#include "kernels/add/cuda_vector.cuh"
#include "kernels/add_rms_norm_halve/add_rms_norm_halve.h"
#include "kernels/halve_activations/cuda_block.cuh"
#include "kernels/rms_norm/cuda_block.cuh"

namespace assay::add_rms_norm_halve_cuda_separate {

constexpr const char* kVariant = "add_rms_norm_halve.cuda.separate";

void run(const AddRmsNormHalveArgs& args, CudaLaunch& launch) {
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
  halve_activations_cuda_block::enqueue(
      kVariant,
      {.x = args.normed, .out = args.out, .t = args.t, .k = args.k, .nonfinite = args.nonfinite},
      launch);
}

}  // namespace assay::add_rms_norm_halve_cuda_separate

ASSAY_CUDA_VARIANT(add_rms_norm_halve_cuda_separate, assay::AddRmsNormHalveArgs,
                   assay::add_rms_norm_halve_cuda_separate::run);
