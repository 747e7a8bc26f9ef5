// Who else was at work while a launch pair was measured.
//
// Only a foreign process may take a pair out of the statistics, by a rule that is fixed before the
// run and looks at the foreign work alone, never at the pair's own times: clock, power and
// temperature depend on the arm, and a filter on them would favour one. What cannot be seen is
// unmeasured, not absent.
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gates/gpu_monitor.h"

namespace assay {

struct ForeignWork {
  std::optional<double> cores;       // of those that this process may use, kept busy by others
  std::optional<int> gpu_processes;  // with work on the GPU: the most that were seen at once
};

// The rule, and what it says of a pair: empty, or why it is dropped. `usable`: cores that this
// process may use; `threads`: that an arm computes with, one arm at a time.
inline constexpr double kForeignSlack = 0.25;  // cores
std::string drop_rule_words();
std::string drop_reason(const ForeignWork& foreign, int usable, int threads);

// Of the processes that a GPU names, those that are not ours. Where it names others than `own`, as
// from inside a container, ours are taken off by their number; nothing where it names none at all.
std::optional<int> foreign_processes(const std::vector<unsigned>& named,
                                     const std::vector<int>& own);

nlohmann::json to_json_value(const ForeignWork& foreign);

// Watches from its making on.
class ForeignWatch {
 public:
  // `own`: process ids of the arms; this process is counted as ours, too.
  explicit ForeignWatch(std::vector<int> own);
  // Asks the GPU, which may be null, who is on it now: a process that comes and goes between two
  // questions is not seen, so they are asked between segments.
  void look(const GpuMonitor* gpu);
  // Since the beginning.
  ForeignWork seen(const GpuMonitor* gpu);

 private:
  std::vector<int> own_;
  std::chrono::steady_clock::time_point start_;
  std::optional<double> busy_s_, own_s_;  // until the beginning
  std::optional<int> most_processes_;
};

// Cores that this process may run on.
int usable_cores();

}  // namespace assay
