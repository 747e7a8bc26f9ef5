#include "gates/gpu_lock.h"

#include "gates/judged_device.h"

namespace assay {

std::unique_ptr<LockFile> lock_gpu(const HelloReply& device, const std::string& folder) {
  const bool gpu = backend_of_key(device.device_key) == BackendKind::kCuda;
  if (!gpu || device.gpu_uuid.empty()) return nullptr;
  return std::make_unique<LockFile>(folder + "/assay-" + device.gpu_uuid + ".lock",
                                    LockWords{.doing = "measuring on this GPU",
                                              .advice = "have it removed by its owner",
                                              .busy = ErrorKind::kEnvironment,
                                              .shared = true});
}

}  // namespace assay
