// An attempt measured again: the gates and the A/B, without a verdict.
//
// Only what was recorded is replicated: the frozen definition, the attempt's candidate, the variant
// that was in service then, the plan's shape (pairs of the last look, arms, drop rule). The stop
// rule does not speak here, since nothing here can land or be reverted.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "experiments/record/replication.h"
#include "gates/runner.h"
#include "gates/scratch_folder.h"

namespace assay {

struct Replicated {
  Definition definition;
  AttemptView attempt;
  std::map<std::string, std::string> incumbents;  // op -> variant id in service then
  nlohmann::json provenance;                      // of the run that decided
};
// What `ordinal` (0: the latest with a verdict) of an experiment was. Error(kUsage) where there is
// no such attempt, where it has no verdict to hold the replication against, or where its record
// does not say what was in service.
Replicated replicated_attempt(const ExperimentView& view, int ordinal);

// A workspace for it: a folder with a map in which the recorded incumbents serve, and the
// workloads' model files under the paths that the definition has. `map_text` is the map to start
// from. Error(kUsage) where that has no row for it.
class ReplicationWorkspace {
 public:
  ReplicationWorkspace(const Replicated& replicated, const std::string& map_text,
                       const std::string& map_name, const std::string& device_key,
                       const std::string& models);
  const std::string& path() const { return folder_.path(); }

 private:
  ScratchFolder folder_;
};

// Code of the candidate or the incumbents that is not the recorded one: "ID is HASH here, HASH in
// the record"; empty when all of it is the same. Error(kUsage) for a variant that is not built.
std::vector<std::string> other_code(const Replicated& replicated, const std::string& worker_path);

struct ReplicationOptions {
  std::string how;  // "rebuilt", "as-built"
  bool same_code = true;
  RunOptions run;  // time limit, stall limit; the rest comes from the attempt's plan
};
// Runs it in `context` (whose workspace is the one above). Exit code 0: agrees, 10: does not, 12
// stopped or too noisy to say, 13 unfit, 14 baseline or runner failed.
RunOutcome run_replication(const Replicated& replicated, const ReplicationOptions& options,
                           const RunContext& context);

// What is wrong with the replications among the events of an experiment: comparisons that do not
// follow from their samples. For `assay check`.
std::vector<std::string> replication_faults(std::span<const Event> events);

}  // namespace assay
