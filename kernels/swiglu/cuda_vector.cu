// SwiGLU on the GPU: one thread per four elements; the last one to three, and all of them where a
// pointer does not permit 16-byte loads, one by one. The code is cuda_vector.cuh.
#include "kernels/swiglu/cuda_vector.cuh"

namespace assay::swiglu_cuda_vector {

void swiglu(const SwigluArgs& args, CudaLaunch& launch) {
  enqueue("swiglu.cuda.vector", args, launch);
}

}  // namespace assay::swiglu_cuda_vector

ASSAY_CUDA_VARIANT(swiglu_cuda_vector, assay::SwigluArgs, assay::swiglu_cuda_vector::swiglu);
