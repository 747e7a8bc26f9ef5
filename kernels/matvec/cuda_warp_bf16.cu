// bf16 rows times one vector on the GPU; the kernel is cuda_warp.cuh.
#include "kernels/matvec/cuda_warp.cuh"

namespace assay::matvec_cuda_warp {

template <int kRows>
void bf16(const MatvecArgs& args, CudaLaunch& launch) {
  launch_rows<DType::kBF16, kRows>("matvec_bf16.cuda.warp", args, launch);
}

}  // namespace assay::matvec_cuda_warp

ASSAY_CUDA_VARIANT(matvec_bf16_cuda_warp_rows1, assay::MatvecArgs,
                   assay::matvec_cuda_warp::bf16<1>);
ASSAY_CUDA_VARIANT(matvec_bf16_cuda_warp_rows2, assay::MatvecArgs,
                   assay::matvec_cuda_warp::bf16<2>);
ASSAY_CUDA_VARIANT(matvec_bf16_cuda_warp_rows4, assay::MatvecArgs,
                   assay::matvec_cuda_warp::bf16<4>);
