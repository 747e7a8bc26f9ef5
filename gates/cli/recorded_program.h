// The program of a recorded commit, run in a workspace of its own, and what it found taken into
// this history as a replication.
//
// Why that program and not this one on its worker: a worker of another day may not know what this
// program asks of it, and the gates of that day are part of what was recorded.
#pragma once

#include <string>
#include <vector>

#include "gates/replicate.h"

namespace assay {

struct RecordedRun {
  int exit_code = 0;
  std::vector<Event> events;  // of its last run of the experiment, first to last
};

// Proposes the frozen definition there and runs the attempt's candidate. `workspace` is a
// ReplicationWorkspace. Error(kUsage) where the program does not take the definition or leaves no
// record.
RecordedRun run_recorded(const std::string& program, const Replicated& replicated,
                         const std::string& workspace, double time_limit_s);

// Journals that run as a replication; exit codes as run_replication has them.
RunOutcome append_replication(const RecordedRun& found, const Replicated& replicated,
                              const ReplicationOptions& options, const RunContext& context);

}  // namespace assay
