#include "gates/judged_device.h"

#include "engine/core/error.h"

namespace assay {

BackendKind backend_of_key(const std::string& device_key) {
  const std::optional<DeviceLevel> level = parse_device_key(device_key);
  return level ? level->backend : BackendKind::kCpu;
}

HelloReply as_device(HelloReply hello, BackendKind backend) {
  if (backend == BackendKind::kCpu) return hello;
  if (hello.gpu_key.empty()) {
    throw Error(ErrorKind::kEnvironment,
                "backend cuda: " +
                    (hello.gpu_absent.empty() ? "the worker names no GPU" : hello.gpu_absent));
  }
  hello.device_key = hello.gpu_key;
  hello.device_name = hello.gpu_name;
  return hello;
}

std::unique_ptr<GpuMonitor> monitor_of(const HelloReply& device) {
  if (backend_of_key(device.device_key) == BackendKind::kCpu) return nullptr;
  return GpuMonitor::open(device.gpu_uuid);
}

}  // namespace assay
