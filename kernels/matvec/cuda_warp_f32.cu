// f32 rows times one vector on the GPU; the kernel is cuda_warp.cuh.
#include "kernels/matvec/cuda_warp.cuh"

namespace assay::matvec_cuda_warp {

template <int kRows>
void f32(const MatvecArgs& args, CudaLaunch& launch) {
  launch_rows<DType::kF32, kRows>("matvec_f32.cuda.warp", args, launch);
}

}  // namespace assay::matvec_cuda_warp

ASSAY_CUDA_VARIANT(matvec_f32_cuda_warp_rows1, assay::MatvecArgs, assay::matvec_cuda_warp::f32<1>);
ASSAY_CUDA_VARIANT(matvec_f32_cuda_warp_rows2, assay::MatvecArgs, assay::matvec_cuda_warp::f32<2>);
ASSAY_CUDA_VARIANT(matvec_f32_cuda_warp_rows4, assay::MatvecArgs, assay::matvec_cuda_warp::f32<4>);
