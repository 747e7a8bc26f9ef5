#include "engine/worker/launch_watch.h"

#include <utility>

namespace assay {

LaunchWatch::LaunchWatch(std::vector<const std::uint64_t*> counters)
    : counters_(std::move(counters)), seen_(counters_.size()) {
  reset();
}

void LaunchWatch::reset() {
  for (std::size_t i = 0; i < counters_.size(); ++i) seen_[i] = *counters_[i];
  current_ = {};
}

WatchedLaunch LaunchWatch::look() {
  int risen = 0;
  for (std::size_t i = 0; i < counters_.size(); ++i) {
    const std::uint64_t now = *counters_[i];
    if (now == seen_[i]) continue;
    seen_[i] = now;
    current_ = {.variant = static_cast<int>(i), .ordinal = now};
    ++risen;
  }
  if (risen > 1) current_ = {};
  return current_;
}

}  // namespace assay
