// swiglu_halve as the kernels of its two parts; the product takes gate's place in between.
#include "kernels/halve_activations/cuda_block.cuh"
#include "kernels/swiglu/cuda_vector.cuh"
#include "kernels/swiglu_halve/swiglu_halve.h"

namespace assay::swiglu_halve_cuda_separate {

constexpr const char* kVariant = "swiglu_halve.cuda.separate";

void run(const SwigluHalveArgs& args, CudaLaunch& launch) {
  swiglu_cuda_vector::enqueue(kVariant,
                              {.gate = args.gate,
                               .up = args.up,
                               .out = args.gate,
                               .count = static_cast<std::int64_t>(args.t) * args.k},
                              launch);
  halve_activations_cuda_block::enqueue(
      kVariant,
      {.x = args.gate, .out = args.out, .t = args.t, .k = args.k, .nonfinite = args.nonfinite},
      launch);
}

}  // namespace assay::swiglu_halve_cuda_separate

ASSAY_CUDA_VARIANT(swiglu_halve_cuda_separate, assay::SwigluHalveArgs,
                   assay::swiglu_halve_cuda_separate::run);
