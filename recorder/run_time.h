// Where the time of a run went, from what its record holds: seconds per gate, the A/B's own
// division of its seconds, and what the run took from its first event to its last.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "experiments/record/view.h"

namespace assay {

struct RunTime {
  double gates_s = 0;             // all gates but the A/B
  std::optional<double> ab_s;     // empty: not reached
  std::optional<double> whole_s;  // empty: the run has no end
  // Parts of ab_s; empty where the record does not say (one from before they were stored).
  struct Parts {
    double history_s = 0;  // A/A runs that were missing
    double launch_s = 0;   // starting processes and loading
    double warm_up_s = 0;
    double filler_s = 0;   // requests between segments, not counted
    double measure_s = 0;  // segments
    double sum() const { return history_s + launch_s + warm_up_s + filler_s + measure_s; }
  };
  std::optional<Parts> parts;
};
RunTime run_time(const RunView& run);

// "78.4 s: gates 12.1, A/B 60.0 (launching 3.1, warming up 9.6, fillers 4.0, measuring 40.0, the
// rest 3.3), the rest 6.3"; empty for a run without a gate.
std::string run_time_text(const RunTime& time);
// Null where something is not recorded.
nlohmann::json run_time_json(const RunTime& time);

}  // namespace assay
