// Rotary embedding on the GPU, a thread per four pairs; the code is cuda_pairs.cuh.
#include "kernels/rope/cuda_pairs.cuh"

namespace assay::rope_cuda_pairs {

void rope(const RopeArgs& args, CudaLaunch& launch) {
  enqueue("rope.cuda.pairs", args, launch);
}

}  // namespace assay::rope_cuda_pairs

ASSAY_CUDA_VARIANT(rope_cuda_pairs, assay::RopeArgs, assay::rope_cuda_pairs::rope);
