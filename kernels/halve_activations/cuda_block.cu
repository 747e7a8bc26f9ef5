// halve_activations on the GPU: one thread block per row, two passes over it; the code is
// cuda_block.cuh. The second pass finds its row (76 KB at most in the models of interest) in the
// caches.
#include "kernels/halve_activations/cuda_block.cuh"

namespace assay::halve_activations_cuda_block {

void halve(const HalveActivationsArgs& args, CudaLaunch& launch) {
  enqueue("halve_activations.cuda.block", args, launch);
}

}  // namespace assay::halve_activations_cuda_block

ASSAY_CUDA_VARIANT(halve_activations_cuda_block, assay::HalveActivationsArgs,
                   assay::halve_activations_cuda_block::halve);
