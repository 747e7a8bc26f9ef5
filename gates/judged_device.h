// Which of a worker's two devices is meant: its processor, or its GPU.
#pragma once

#include <memory>
#include <string>

#include "engine/core/device.h"
#include "engine/protocol/messages.h"
#include "gates/gpu_monitor.h"

namespace assay {

// The backend of a device key; the CPU for an empty one.
BackendKind backend_of_key(const std::string& device_key);

// The worker's reply as that of the chosen device: device_key and device_name are the GPU's for
// BackendKind::kCuda. Error(kEnvironment) where the worker has none.
HelloReply as_device(HelloReply hello, BackendKind backend);

// Of the GPU that is judged; null where that is a CPU, or the driver's library is not here.
std::unique_ptr<GpuMonitor> monitor_of(const HelloReply& device);

}  // namespace assay
