// What can be known of the machine around a measurement: a fingerprint that decides which pairs may
// be pooled, and telemetry that is recorded with each pair. What cannot be read is null, not zero.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "engine/protocol/messages.h"

namespace assay {

// Host, processor, cores, kernel release, frequency governor, CPU affinity, worker program.
std::string environment_fingerprint(const HelloReply& device, const std::string& worker_sha256);

// {"load_average": .., "steal_ticks": .., "mhz": .., "affinity": ..} of this moment.
nlohmann::json telemetry_now();

std::string host_name();
// Kernel release, as uname says it.
std::string kernel_release();

}  // namespace assay
