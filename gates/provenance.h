// Where a number comes from: everything that a record prints about how it was made.
#pragma once

#include <nlohmann/json.hpp>

#include "engine/protocol/manifest.h"
#include "engine/protocol/messages.h"
#include "experiments/definition.h"

namespace assay {

nlohmann::json provenance(const Manifest& manifest, const HelloReply& device,
                          const LoadReply& model, const Workload& workload);

// Requests per segment, so that a segment takes about `segment_s`; at least 1.
int segment_repeats(double segment_s, std::int64_t request_ns);

}  // namespace assay
