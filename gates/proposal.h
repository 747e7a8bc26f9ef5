// What can be said of a definition before anything runs.
#pragma once

#include <optional>

#include "gates/subject.h"

namespace assay {

// Each of these throws Error(kUsage) at a place of the definition (experiments/definition_place.h).

// What this version cannot judge.
void check_answerable(const Definition& definition);
// Workloads that need more positions than a model of `context` positions has.
void check_context(const Definition& definition, int context);
// What cannot run in this workspace: a map or a model file that is not there, a row that does not
// exist, a candidate that is already in service, a model that the worker refuses or that is too
// short. Returns a line for people where no worker could be asked; else nothing.
std::string check_runnable(const Definition& definition, const RunContext& context);

struct Detectability {
  std::optional<double> pair_sd;   // of the A/A history, fraction
  std::optional<double> smallest;  // effect that would land in about 80 % of runs, fraction
};
Detectability detectability(const Subject& subject, const LoadReply& model, const History& history,
                            int pairs_max, int arms);

// Pooled sd of the pair values of a workload's A/A history, a fraction; nothing without one.
std::optional<double> pair_sd_of(const Workload& workload, const Subject& subject,
                                 const LoadReply& model, const History& history);

// A/A effects count for 30 days.
std::string aa_since();

}  // namespace assay
