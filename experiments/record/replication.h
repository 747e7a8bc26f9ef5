// Replications: an attempt measured again, later or elsewhere, by `assay reproduce`.
//
// A replication is a run of command "reproduce" in the experiment's chain. It belongs to no attempt
// (view.h leaves it out), so it changes no verdict, no look and no count, and its pairs are never
// pooled. What it found stands in its own events: the gates, the frozen plan, the samples, and in
// the values of its last gate the comparison with what was stored.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "experiments/record/event.h"
#include "experiments/record/view.h"

namespace assay {

inline constexpr const char* kReproduce = "reproduce";  // RunOpened::command

// What an attempt came to: a red gate, or a timed effect.
struct Finding {
  std::string reason;     // of a red gate: "identity", ...; empty where it was timed
  std::string verdict;    // LAND or REVERT, as the plan's rules say; empty without one
  nlohmann::json effect;  // {estimate, low, high, pairs}, or null
  bool timed() const { return effect.is_object() && effect.contains("estimate"); }
};
// The finding of an attempt with a verdict.
Finding finding_of(const VerdictBody& verdict);

// Whether the second bears the first out: red for the same reason, or two effects whose difference
// is within the root of the sum of squares of their intervals' half widths.
struct Agreement {
  bool agrees = false;
  std::string sentence;  // "stored +3.38 % [..], again +3.21 % [..]: agrees"
};
Agreement compare(const Finding& stored, const Finding& again);

// One replication, as a record shows it.
struct Replication {
  std::string run, at, host, device;
  int attempt = 0;        // whose code it ran
  std::string how;        // "rebuilt" or "as-built"
  std::string commit;     // of the build that ran
  bool same_code = true;  // code hashes as recorded
  std::string outcome;   // RunEnded's: "agrees", "disagrees", "inconclusive", ...; "" while it runs
  std::string sentence;  // RunEnded's message
  Finding stored, again;  // as far as it got
};
std::vector<Replication> replications(const ExperimentView& view);

void to_json(nlohmann::json& json, const Finding& finding);
void from_json(const nlohmann::json& json, Finding& finding);

}  // namespace assay
