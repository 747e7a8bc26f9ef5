// What can be known of the machine around a measurement: a fingerprint that decides which pairs may
// be pooled, and telemetry that is recorded with each pair. What cannot be read is null, not zero.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "engine/protocol/messages.h"
#include "gates/gpu_monitor.h"

namespace assay {

// Host, device, cores, kernel release, frequency governor, CPU affinity, worker program; where the
// judged device is a GPU, also which one, its driver and its power limit.
std::string environment_fingerprint(const HelloReply& device, const std::string& worker_sha256);

// {"load_average": .., "steal_ticks": .., "mhz": .., "affinity": ..} of this moment, and "gpu" with
// GpuMonitor::reading() where there is one.
nlohmann::json telemetry_now(const GpuMonitor* gpu);

std::string host_name();
// Kernel release, as uname says it.
std::string kernel_release();

}  // namespace assay
