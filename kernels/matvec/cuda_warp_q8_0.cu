// q8_0 rows times one vector on the GPU; the kernel is cuda_warp.cuh.
#include "kernels/matvec/cuda_warp.cuh"

namespace assay::matvec_cuda_warp {

template <int kRows>
void q8_0(const MatvecArgs& args, CudaLaunch& launch) {
  launch_rows<DType::kQ8_0, kRows>("matvec_q8_0.cuda.warp", args, launch);
}

}  // namespace assay::matvec_cuda_warp

ASSAY_CUDA_VARIANT(matvec_q8_0_cuda_warp_rows1, assay::MatvecArgs,
                   assay::matvec_cuda_warp::q8_0<1>);
ASSAY_CUDA_VARIANT(matvec_q8_0_cuda_warp_rows2, assay::MatvecArgs,
                   assay::matvec_cuda_warp::q8_0<2>);
ASSAY_CUDA_VARIANT(matvec_q8_0_cuda_warp_rows4, assay::MatvecArgs,
                   assay::matvec_cuda_warp::q8_0<4>);
