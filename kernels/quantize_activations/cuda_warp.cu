// quantize_activations on the GPU: eight lanes per block of 32, four blocks per warp; the code is
// cuda_warp.cuh.
#include "kernels/quantize_activations/cuda_warp.cuh"

namespace assay::quantize_activations_cuda_warp {

void quantize(const QuantizeActivationsArgs& args, CudaLaunch& launch) {
  enqueue("quantize_activations.cuda.warp", args, launch);
}

}  // namespace assay::quantize_activations_cuda_warp

ASSAY_CUDA_VARIANT(quantize_activations_cuda_warp, assay::QuantizeActivationsArgs,
                   assay::quantize_activations_cuda_warp::quantize);
