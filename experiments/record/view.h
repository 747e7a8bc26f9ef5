// What the events of one experiment mean. A pure fold: the same events give the same view, and the
// stop rule, the commands, the records and `check` all read it.
//
//   proposed --first attempt used--> open --LAND--> landed
//                                     |  \--second attempt's REVERT, or close --as reverted-->
//                                     reverted
//                                     \--close--> closed | measured | unreached
//
// Invariants
//  1. An attempt is a distinct fingerprint. It is *used* once one of its runs has a verdict or has
//     taken its first look; at most two are ever used.
//  2. Pairs of an attempt are pooled over its runs in order; the look index never restarts.
//  3. A verdict is final for its attempt: what a later run of it says is kept, and changes nothing.
//  4. An attempt that was opened and never used (killed early, say) holds no ordinal: the next
//     fingerprint gets it. Its data stays, and counts if the fingerprint comes back.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/record/event.h"

namespace assay {

enum class ExperimentState { kProposed, kOpen, kLanded, kReverted, kClosed, kMeasured, kUnreached };
std::string to_string(ExperimentState state);

struct GateInRun {
  std::string run;
  std::string at;
  GateResult result;
};

struct AttemptView {
  AttemptOpened opened;
  std::vector<std::string> runs;
  bool used = false;
  std::vector<GateInRun> gates;        // in order, over all runs
  std::optional<nlohmann::json> plan;  // frozen with the first sample
  std::vector<PairSample> samples;     // pooled, in order
  std::vector<Look> looks;
  int invalid_runs = 0;  // runs that ended INVALID
  std::optional<VerdictBody> verdict;
  std::string verdict_at, verdict_run;
};

struct RunView {
  std::string run, command, opened_at, ended_at, argv;
  std::optional<RunEnded> ended;  // absent: still going, or killed
  std::vector<GateInRun> gates;
  int attempt = 0;  // ordinal, 0 when none was opened
  nlohmann::json provenance;
};

struct ExperimentView {
  std::string slug;
  ExperimentState state = ExperimentState::kProposed;
  Proposed proposal;  // the one in force
  std::string proposed_at;
  std::vector<AttemptView> attempts;  // used ones first, in the order of their use
  std::vector<RunView> runs;
  std::optional<Closed> closed;
  bool applied = false;  // the LAND's file change is on disk and recorded

  int used_attempts() const;
  // Pairs of an A/B that attempts without a verdict hold.
  int measured_pairs() const;
  // The latest attempt with a verdict; null when there is none.
  const AttemptView* judged() const;
  const AttemptView* find_attempt(const std::string& fingerprint) const;
};

// `events` in log order, all of one slug. Error(kCheckFound) for a body that is not of its kind's
// form.
ExperimentView fold(std::span<const Event> events);

// What the stop rule says to a fingerprint that wants to run.
enum class Admission {
  kNew,       // a new attempt, with `ordinal`
  kResume,    // same fingerprint, no verdict: goes on
  kRedAgain,  // same fingerprint, red: may run again, red stays red
  kVerdict,   // same fingerprint, judged (timed or landed): print the stored verdict
  kStopped,   // reverted: refused, exit 11
  kFinished,  // closed, measured, unreached: refused, exit 2
};
struct AdmissionResult {
  Admission admission = Admission::kNew;
  int ordinal = 0;
  std::string why;
};
AdmissionResult admit(const ExperimentView& view, const std::string& fingerprint);

// The effect that a verdict states: of a LAND the confirmation's, which was not selected for being
// high; else the A/B's. {estimate, low, high, pairs, ...}, or null where nothing was timed.
const nlohmann::json& stated_effect(const VerdictBody& verdict);

// True for a REVERT that says the candidate is wrong (identity, parity, margin, not-live,
// resources, race, crash, hang); false for a timed one (slower, no-gain, guard, unproven).
bool is_red_reason(const std::string& reason);

// Why `propose` must refuse this text: the definition is frozen since the first pair was measured
// or an attempt was used, or the experiment is over, and the text differs (the diff is part of the
// answer). Nothing when it may replace the proposal, or is the same.
std::optional<std::string> refuse_edit(const ExperimentView& view, const std::string& definition);

}  // namespace assay
