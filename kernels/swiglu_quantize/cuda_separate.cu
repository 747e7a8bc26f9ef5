// swiglu_quantize as the kernels of its two parts; the product takes gate's place in between.
#include "kernels/quantize_activations/cuda_warp.cuh"
#include "kernels/swiglu/cuda_vector.cuh"
#include "kernels/swiglu_quantize/swiglu_quantize.h"

namespace assay::swiglu_quantize_cuda_separate {

constexpr const char* kVariant = "swiglu_quantize.cuda.separate";

void run(const SwigluQuantizeArgs& args, CudaLaunch& launch) {
  swiglu_cuda_vector::enqueue(kVariant,
                              {.gate = args.gate,
                               .up = args.up,
                               .out = args.gate,
                               .count = static_cast<std::int64_t>(args.t) * args.k},
                              launch);
  quantize_activations_cuda_warp::enqueue(
      kVariant,
      {.x = args.gate, .out = args.out, .t = args.t, .k = args.k, .nonfinite = args.nonfinite},
      launch);
}

}  // namespace assay::swiglu_quantize_cuda_separate

ASSAY_CUDA_VARIANT(swiglu_quantize_cuda_separate, assay::SwigluQuantizeArgs,
                   assay::swiglu_quantize_cuda_separate::run);
