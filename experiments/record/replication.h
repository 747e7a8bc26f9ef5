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
  // Estimate, low and high are numbers.
  bool timed() const;
};
// The finding of an attempt with a verdict.
Finding finding_of(const VerdictBody& verdict);

// Whether the second bears the first out. Two effects do when their difference is within the root
// of the sum of squares of their intervals' half widths (the intervals then overlap) and the new
// interval is not much wider than the stored one: a wide one holds nearly anything, and says
// nothing. Effects further apart disagree however wide. Two red findings agree on the same reason.
enum class Bearing { kAgrees, kDisagrees, kTooNoisy };
inline constexpr double kWidestAgain = 3;  // times the stored interval's width

struct Agreement {
  Bearing bearing = Bearing::kDisagrees;
  std::string sentence;  // "stored +3.38 % [..], again +3.21 % [..]: agrees"
  // How a run that found this ends: exit code 0, 10, or 12 for one that is too noisy.
  RunEnded ended() const;
};
Agreement compare(const Finding& stored, const Finding& again);
// "agrees", "does not agree", "too noisy to say"
std::string to_string(Bearing bearing);

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
// As far as each can be read: a run from another version, or by another hand, lacks what is not
// there.
std::vector<Replication> replications(const ExperimentView& view);
inline bool is_replication(const RunView& run) {
  return run.command == kReproduce;
}

void to_json(nlohmann::json& json, const Finding& finding);
void from_json(const nlohmann::json& json, Finding& finding);

}  // namespace assay
