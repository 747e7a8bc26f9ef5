// Problem: several commands, the stop rule and `check` must agree on what has happened, also when a
// run was killed between two events, or when two machines' histories were merged.
//
// Method: events are taken one by one, and every rule is stated where its event is handled; the
// state is computed last, from attempts and closing alone. Rejected: storing states (they could
// then disagree with the log), and counting *opened* attempts (a Ctrl-C would cost one).
#include "experiments/record/view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "engine/core/error.h"
#include "experiments/record/text_diff.h"

namespace assay {
namespace {

constexpr int kMaxAttempts = 2;

// Commands that may open an attempt's gates but never add to it.
bool is_pooled(const std::string& command) {
  return command != "reproduce" && command != "premise" && command != "until";
}

class Folding {
 public:
  void take(const Event& event);
  ExperimentView finish();

 private:
  RunView& run_of(const Event& event);
  // The attempt that the event's run has opened; null when it has opened none.
  AttemptView* attempt_of(const Event& event);
  AttemptView* attempt_of_verdict(const Event& event, const VerdictBody& verdict);
  void use(const std::string& fingerprint);
  void take_proposed(const Event& event);
  void take_attempt(const Event& event);
  void take_gate(const Event& event);
  void take_verdict(const Event& event);
  void take_end(const Event& event);
  AttemptView* find(const std::string& fingerprint);
  ExperimentState state() const;

  ExperimentView view_;
  std::map<std::string, std::size_t> run_index_;
  std::map<std::string, AttemptOpened> opened_by_;  // run -> what it opened
};

RunView& Folding::run_of(const Event& event) {
  const auto [entry, fresh] = run_index_.emplace(event.run, view_.runs.size());
  if (fresh) {
    RunView run;
    run.run = event.run;
    run.opened_at = event.at;
    view_.runs.push_back(std::move(run));
  }
  return view_.runs[entry->second];
}

AttemptView* Folding::find(const std::string& fingerprint) {
  for (AttemptView& attempt : view_.attempts) {
    if (attempt.opened.fingerprint == fingerprint) return &attempt;
  }
  return nullptr;
}

AttemptView* Folding::attempt_of(const Event& event) {
  const auto opened = opened_by_.find(event.run);
  return opened == opened_by_.end() ? nullptr : find(opened->second.fingerprint);
}

// A verdict speaks of its run's own attempt, unless it names another ordinal: a run may first have
// to give up an older attempt that can no longer be finished.
AttemptView* Folding::attempt_of_verdict(const Event& event, const VerdictBody& verdict) {
  const auto opened = opened_by_.find(event.run);
  const bool own = opened != opened_by_.end() &&
                   (verdict.attempt == 0 || verdict.attempt == opened->second.ordinal);
  if (own) return find(opened->second.fingerprint);
  for (AttemptView& attempt : view_.attempts) {
    if (attempt.opened.ordinal == verdict.attempt) return &attempt;
  }
  return nullptr;
}

// Invariants 1 and 4: the first use decides an attempt's place and ordinal.
void Folding::use(const std::string& fingerprint) {
  AttemptView* attempt = find(fingerprint);
  if (attempt->used) return;
  const int before = view_.used_attempts();
  attempt->used = true;
  attempt->opened.ordinal = before + 1;
  const auto begin = view_.attempts.begin();
  const auto here = begin + (attempt - view_.attempts.data());
  std::rotate(begin + before, here, here + 1);
}

// Before the first use a proposal replaces the one in force; if its text is another, what was
// measured for the old one belongs to no question any more.
void Folding::take_proposed(const Event& event) {
  if (view_.used_attempts() > 0 || view_.closed) return;
  auto proposal = event.body.get<Proposed>();
  if (proposal.definition != view_.proposal.definition) view_.attempts.clear();
  view_.proposal = std::move(proposal);
  view_.proposed_at = event.at;
}

void Folding::take_attempt(const Event& event) {
  RunView& run = run_of(event);
  if (!is_pooled(run.command)) return;
  const auto opened = event.body.get<AttemptOpened>();
  run.attempt = opened.ordinal;
  opened_by_[event.run] = opened;
  AttemptView* attempt = find(opened.fingerprint);
  if (attempt == nullptr) attempt = &view_.attempts.emplace_back();
  if (!attempt->used) attempt->opened = opened;
  if (std::count(attempt->runs.begin(), attempt->runs.end(), event.run) > 0) return;
  attempt->runs.push_back(event.run);
  // Preflight and baseline come before the attempt is opened, and belong to it all the same.
  attempt->gates.insert(attempt->gates.end(), run.gates.begin(), run.gates.end());
}

void Folding::take_gate(const Event& event) {
  const GateInRun gate{event.run, event.at, event.body.get<GateResult>()};
  run_of(event).gates.push_back(gate);
  if (AttemptView* attempt = attempt_of(event)) attempt->gates.push_back(gate);
}

void Folding::take_verdict(const Event& event) {
  const auto verdict = event.body.get<VerdictBody>();
  AttemptView* attempt = attempt_of_verdict(event, verdict);
  if (attempt == nullptr) {
    throw Error(
        ErrorKind::kCheckFound,
        fmt::format("run {} has a verdict on attempt {}, which was never opened: the history "
                    "is damaged",
                    event.run, verdict.attempt));
  }
  if (attempt->verdict) return;  // invariant 3
  attempt->verdict = verdict;
  attempt->verdict_at = event.at;
  attempt->verdict_run = event.run;
  use(attempt->opened.fingerprint);
}

void Folding::take_end(const Event& event) {
  RunView& run = run_of(event);
  run.ended = event.body.get<RunEnded>();
  run.ended_at = event.at;
  AttemptView* attempt = attempt_of(event);
  if (attempt != nullptr && run.ended->outcome == "invalid") ++attempt->invalid_runs;
}

void Folding::take(const Event& event) {
  if (view_.slug.empty()) view_.slug = event.slug;
  RunView& run = run_of(event);
  AttemptView* attempt = attempt_of(event);
  switch (event.kind) {
    case EventKind::kRunOpened: {
      const auto opened = event.body.get<RunOpened>();
      run.command = opened.command;
      run.argv = opened.argv;
      run.provenance = opened.provenance;
      break;
    }
    case EventKind::kProposed:
      take_proposed(event);
      break;
    case EventKind::kAttemptOpened:
      take_attempt(event);
      break;
    case EventKind::kGateResult:
      take_gate(event);
      break;
    case EventKind::kPlanFrozen:
      if (attempt != nullptr && !attempt->plan) attempt->plan = event.body;
      break;
    case EventKind::kSample:
      if (attempt != nullptr) attempt->samples.push_back(sample_of(event));
      break;
    case EventKind::kLook:
      if (attempt != nullptr) {
        attempt->looks.push_back(event.body.get<Look>());
        if (attempt->looks.back().stage == "ab") use(attempt->opened.fingerprint);
      }
      break;
    case EventKind::kVerdict:
      take_verdict(event);
      break;
    case EventKind::kApplied:
      view_.applied = true;
      break;
    case EventKind::kClosed:
      if (!view_.closed) view_.closed = event.body.get<Closed>();
      break;
    case EventKind::kCalibrated:
    case EventKind::kImported:
    case EventKind::kRenumbered:
      break;  // belongs to the machine's history, not to an experiment
    case EventKind::kRunEnded:
      take_end(event);
      break;
  }
}

ExperimentState Folding::state() const {
  bool reverted = false;
  for (std::size_t i = 0; i < view_.attempts.size(); ++i) {
    const AttemptView& attempt = view_.attempts[i];
    if (!attempt.verdict) continue;
    if (attempt.verdict->verdict == "LAND") return ExperimentState::kLanded;
    reverted = reverted || i + 1 >= kMaxAttempts;
  }
  if (reverted) return ExperimentState::kReverted;
  if (view_.closed) {
    if (view_.closed->as == "reverted") return ExperimentState::kReverted;
    if (view_.closed->as == "measured") return ExperimentState::kMeasured;
    if (view_.closed->as == "unreached") return ExperimentState::kUnreached;
    return ExperimentState::kClosed;
  }
  return view_.used_attempts() > 0 ? ExperimentState::kOpen : ExperimentState::kProposed;
}

ExperimentView Folding::finish() {
  for (const AttemptView& attempt : view_.attempts) {
    for (const std::string& run : attempt.runs) {
      view_.runs[run_index_.at(run)].attempt = attempt.opened.ordinal;
    }
  }
  view_.state = state();
  return std::move(view_);
}

std::string verdict_words(const AttemptView& attempt) {
  if (!attempt.verdict) return "no verdict";
  if (attempt.verdict->reason.empty()) return attempt.verdict->verdict;
  return attempt.verdict->verdict + " " + attempt.verdict->reason;
}

// "attempt 1: REVERT identity; attempt 2: REVERT no-gain"
std::string attempts_in_words(const ExperimentView& view) {
  std::string words;
  for (const AttemptView& attempt : view.attempts) {
    if (!attempt.used) continue;
    words += fmt::format("{}attempt {}: {}", words.empty() ? "" : "; ", attempt.opened.ordinal,
                         verdict_words(attempt));
  }
  return words;
}

AdmissionResult stopped(const ExperimentView& view) {
  if (view.used_attempts() < kMaxAttempts && view.closed) {
    return {Admission::kStopped, 0,
            fmt::format("{} was closed as reverted ({}); nothing measures it again", view.slug,
                        view.closed->because)};
  }
  return {Admission::kStopped, 0,
          fmt::format("{} is reverted, and the two-attempt rule allows no third ({}); nothing "
                      "measures it again",
                      view.slug, attempts_in_words(view))};
}

AdmissionResult admit_known(const ExperimentView& view, const AttemptView& attempt) {
  const int ordinal = attempt.opened.ordinal;
  if (!attempt.verdict) {
    if (attempt.used) {
      return {Admission::kResume, ordinal, fmt::format("attempt {} goes on", ordinal)};
    }
    const int next = view.used_attempts() + 1;
    return {Admission::kResume, next, fmt::format("attempt {} goes on; it is not used yet", next)};
  }
  const bool red = attempt.verdict->verdict != "LAND" && is_red_reason(attempt.verdict->reason);
  if (red && view.state != ExperimentState::kLanded) {
    return {Admission::kRedAgain, ordinal,
            fmt::format("attempt {} again: the same code was {}, and stays so", ordinal,
                        verdict_words(attempt))};
  }
  return {Admission::kVerdict, ordinal,
          fmt::format("attempt {} is judged: {}", ordinal, verdict_words(attempt))};
}

}  // namespace

std::string to_string(ExperimentState state) {
  constexpr std::array<std::string_view, 7> kNames{"proposed", "open",     "landed",   "reverted",
                                                   "closed",   "measured", "unreached"};
  return std::string(kNames[static_cast<std::size_t>(state)]);
}

const nlohmann::json& stated_effect(const VerdictBody& verdict) {
  const bool confirmed = verdict.verdict == "LAND" && verdict.effect.is_object() &&
                         verdict.effect.contains("confirmation");
  return confirmed ? verdict.effect.at("confirmation") : verdict.effect;
}

bool is_red_reason(const std::string& reason) {
  constexpr std::array<std::string_view, 4> kTimed{"slower", "no-gain", "guard", "unproven"};
  return std::find(kTimed.begin(), kTimed.end(), reason) == kTimed.end();
}

int ExperimentView::used_attempts() const {
  return static_cast<int>(std::count_if(attempts.begin(), attempts.end(),
                                        [](const AttemptView& attempt) { return attempt.used; }));
}

int ExperimentView::measured_pairs() const {
  int pairs = 0;
  for (const AttemptView& attempt : attempts) {
    if (attempt.verdict) continue;
    pairs += static_cast<int>(
        std::count_if(attempt.samples.begin(), attempt.samples.end(),
                      [](const PairSample& sample) { return sample.stage == "ab"; }));
  }
  return pairs;
}

const AttemptView* ExperimentView::judged() const {
  for (auto attempt = attempts.rbegin(); attempt != attempts.rend(); ++attempt) {
    if (attempt->verdict) return &*attempt;
  }
  return nullptr;
}

const AttemptView* ExperimentView::find_attempt(const std::string& fingerprint) const {
  for (const AttemptView& attempt : attempts) {
    if (attempt.opened.fingerprint == fingerprint) return &attempt;
  }
  return nullptr;
}

ExperimentView fold(std::span<const Event> events) {
  Folding folding;
  for (const Event& event : events) {
    try {
      folding.take(event);
    } catch (const nlohmann::json::exception& exception) {
      throw Error(ErrorKind::kCheckFound,
                  fmt::format("event {} ({}) of run {} is damaged: {}", event.index,
                              to_string(event.kind), event.run, exception.what()));
    }
  }
  return folding.finish();
}

AdmissionResult admit(const ExperimentView& view, const std::string& fingerprint) {
  if (view.proposed_at.empty()) {
    return {Admission::kFinished, 0, "never proposed: `assay propose FILE` comes first"};
  }
  const AttemptView* attempt = view.find_attempt(fingerprint);
  switch (view.state) {
    case ExperimentState::kReverted:
      return stopped(view);
    case ExperimentState::kClosed:
    case ExperimentState::kMeasured:
    case ExperimentState::kUnreached:
      return {Admission::kFinished, 0,
              fmt::format("{} is {} ({}) and is not run any more", view.slug, to_string(view.state),
                          view.closed->because)};
    case ExperimentState::kLanded:
      if (attempt != nullptr && attempt->verdict) return admit_known(view, *attempt);
      return {Admission::kFinished, 0,
              fmt::format("{} has landed, with other code than this ({}): propose an experiment of "
                          "its own for it",
                          view.slug, attempts_in_words(view))};
    case ExperimentState::kProposed:
    case ExperimentState::kOpen:
      break;
  }
  const int used = view.used_attempts();
  if (attempt != nullptr && (attempt->used || used < kMaxAttempts)) {
    return admit_known(view, *attempt);
  }
  if (used < kMaxAttempts) {
    return {Admission::kNew, used + 1, fmt::format("attempt {} of {}", used + 1, kMaxAttempts)};
  }
  return {Admission::kStopped, 0,
          fmt::format("both attempts of {} are used ({}): only their own code may go on", view.slug,
                      attempts_in_words(view))};
}

std::optional<std::string> refuse_edit(const ExperimentView& view, const std::string& definition) {
  const bool untouched = view.state == ExperimentState::kProposed && view.measured_pairs() == 0;
  if (view.proposed_at.empty() || untouched) return std::nullopt;
  if (definition == view.proposal.definition) return std::nullopt;
  return fmt::format(
      "the definition of {} is frozen ({}) and cannot be edited; put it back, or "
      "propose a new experiment that names this one in `derived_from`:\n{}",
      view.slug, to_string(view.state),
      unified_diff(view.proposal.definition, definition, "frozen", "proposed now"));
}

}  // namespace assay
