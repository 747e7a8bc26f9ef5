// Elementwise addition on the GPU, a thread per four columns; the code is cuda_vector.cuh.
#include "kernels/add/cuda_vector.cuh"

namespace assay::add_cuda_vector {

void add(const AddArgs& args, CudaLaunch& launch) {
  enqueue("add.cuda.vector", args, launch);
}

}  // namespace assay::add_cuda_vector

ASSAY_CUDA_VARIANT(add_cuda_vector, assay::AddArgs, assay::add_cuda_vector::add);
