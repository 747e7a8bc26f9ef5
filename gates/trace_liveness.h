// Liveness from a second source: do the launches that counters claim show as kernels on the device?
//
// Under a captured graph the counters are those of the capture times the replays, so nothing of
// what they say was seen to run. A trace sees every kernel. A launch may consist of several
// kernels, and of fewer for its first layer (a compound whose first part has nothing to add), so
// what is compared is launches with at least one kernel, and then kernels a launch, replayed
// against launched one by one.
#pragma once

#include <string>

#include "engine/protocol/messages.h"

namespace assay {

// Map, counters and trace of one profile. Empty when they agree, else the first difference.
std::string trace_fault(const ProfileReply& profile);
// The same work replayed from captured graphs, and launched one by one.
std::string replay_fault(const ProfileReply& replayed, const ProfileReply& eager);

}  // namespace assay
