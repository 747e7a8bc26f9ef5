// The stage of a program that was built without a CUDA compiler: it cannot be made.
#include "engine/core/error.h"
#include "kernels/cuda_stage.h"

namespace assay {

struct CudaStage::State {};

CudaStage::CudaStage(const CudaVariant&) {
  throw Error(ErrorKind::kInternal, "a CUDA stage in a build without CUDA");
}
CudaStage::~CudaStage() = default;

LaunchFunction CudaStage::function() const {
  return nullptr;
}
void CudaStage::set_position_on_device(bool) {}
void CudaStage::set_capturing(bool) {}
std::vector<CudaKernelUse> CudaStage::captured() const {
  return {};
}
bool CudaStage::canaries_intact() const {
  return false;
}

}  // namespace assay
