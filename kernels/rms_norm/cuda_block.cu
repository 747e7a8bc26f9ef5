// Root-mean-square normalisation on the GPU, a warp or a block per row; the code is cuda_block.cuh.
//
// A thread keeps up to eight of its elements in registers between the sum and the product (rows up
// to 8,192), and asks for its weights before the sum, so that a decode step pays one trip to
// memory.
#include "kernels/rms_norm/cuda_block.cuh"

namespace assay::rms_norm_cuda_block {

void rms_norm(const RmsNormArgs& args, CudaLaunch& launch) {
  enqueue("rms_norm.cuda.block", args, launch);
}

}  // namespace assay::rms_norm_cuda_block

ASSAY_CUDA_VARIANT(rms_norm_cuda_block, assay::RmsNormArgs, assay::rms_norm_cuda_block::rms_norm);
