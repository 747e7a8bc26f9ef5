// Whose launcher is at work: the one whose counter was last seen to rise.
//
// A launcher bumps its counter first and then enqueues its kernels, so whoever looks at all
// counters whenever a kernel is enqueued sees the launcher's own bump, and nothing in a launcher
// has to know that somebody is looking.
#pragma once

#include <cstdint>
#include <vector>

namespace assay {

struct WatchedLaunch {
  int variant = -1;           // index of the counter; -1: none has risen yet
  std::uint64_t ordinal = 0;  // the counter's value: which of its launches
  auto operator<=>(const WatchedLaunch&) const = default;
};

class LaunchWatch {
 public:
  // The counters must outlive the watch.
  explicit LaunchWatch(std::vector<const std::uint64_t*> counters);
  // Forgets who was at work.
  void reset();
  // Call whenever something is enqueued. Where several counters rose since the last call, those but
  // one enqueued nothing; which one did cannot be seen, so the answer is nobody.
  WatchedLaunch look();

 private:
  std::vector<const std::uint64_t*> counters_;
  std::vector<std::uint64_t> seen_;
  WatchedLaunch current_;
};

}  // namespace assay
