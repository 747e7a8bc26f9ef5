// q6_K rows times one vector on the GPU; the kernel is cuda_warp.cuh.
#include "kernels/matvec/cuda_warp.cuh"

namespace assay::matvec_cuda_warp {

template <int kRows>
void q6k(const MatvecArgs& args, CudaLaunch& launch) {
  launch_rows<DType::kQ6K, kRows>("matvec_q6k.cuda.warp", args, launch);
}

}  // namespace assay::matvec_cuda_warp

ASSAY_CUDA_VARIANT(matvec_q6k_cuda_warp_rows1, assay::MatvecArgs, assay::matvec_cuda_warp::q6k<1>);
ASSAY_CUDA_VARIANT(matvec_q6k_cuda_warp_rows2, assay::MatvecArgs, assay::matvec_cuda_warp::q6k<2>);
ASSAY_CUDA_VARIANT(matvec_q6k_cuda_warp_rows4, assay::MatvecArgs, assay::matvec_cuda_warp::q6k<4>);
