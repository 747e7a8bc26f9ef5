#include "kernels/cuda_sweep/launcher.cuh"

#include "kernels/cuda_stage.h"

namespace assay::sweep {

std::vector<const CudaVariant*> chosen(const Options& options, std::string_view op) {
  const DeviceLevel device = cuda_device(cuda_capability());
  std::vector<const CudaVariant*> found;
  for (const CudaVariant& variant : cuda_registry()) {
    const std::string_view id = variant.info->id;
    if (!id.starts_with(op) || !id.starts_with(options.only)) continue;
    if (offers(device, variant.info->needs)) found.push_back(&variant);
  }
  return found;
}

std::vector<Subject> subjects_of(const Options& options, std::string_view op, const char* part) {
  std::vector<Subject> subjects;
  for (const CudaVariant* variant : chosen(options, op)) {
    Subject subject{variant, {}};
    subject.line.variant = variant->info->id;
    subject.line.part = part;
    subjects.push_back(std::move(subject));
  }
  return subjects;
}

void Launcher::need(std::size_t matrix_elements) {
  const std::size_t bytes = cuda_workspace_bytes(matrix_elements);
  if (bytes > workspace_.bytes()) workspace_ = DeviceArray<std::byte>(bytes);
  poison();
}

void Launcher::poison(std::size_t bytes) const {
  cuda::check(
      cudaMemsetAsync(workspace_.data(), kPoison, std::min(bytes, workspace_.bytes()), stream_),
      "cudaMemset");
}

CublasLt* Launcher::blas() {
  if (!looked_for_blas_) blas_ = CublasLt::open();
  looked_for_blas_ = true;
  return blas_.get();
}

}  // namespace assay::sweep
