// A log of one experiment, written event by event as a runner would. For tests.
#pragma once

#include <string>
#include <vector>

#include "experiments/record/view.h"

namespace assay {

class Log {
 public:
  std::vector<Event> events;

  std::string add(EventKind kind, const nlohmann::json& body) {
    events.push_back({"my-lever", run_, index_++, kind, "t" + std::to_string(events.size()), body});
    return run_;
  }
  std::string open(const std::string& command) {
    run_ = "run" + std::to_string(++runs_);
    index_ = 0;
    return add(EventKind::kRunOpened, RunOpened{command, "assay " + command, nullptr});
  }
  void end(const std::string& outcome, int exit_code) {
    add(EventKind::kRunEnded, RunEnded{outcome, exit_code, ""});
  }
  void propose(const std::string& definition) {
    open("propose");
    add(EventKind::kProposed, Proposed{definition, "", nullptr});
    end("proposed", 0);
  }
  // Opens a run and the attempt that `admit` grants.
  AdmissionResult start(const std::string& fingerprint) {
    const AdmissionResult admitted = admit(view(), fingerprint);
    open("run");
    gate("preflight", "green");
    AttemptOpened opened;
    opened.ordinal = admitted.ordinal;
    opened.fingerprint = fingerprint;
    add(EventKind::kAttemptOpened, opened);
    return admitted;
  }
  void gate(const std::string& name, const std::string& outcome) {
    add(EventKind::kGateResult, GateResult{name, outcome, "", "", nullptr, 0});
  }
  void sample(int ordinal) {
    add(EventKind::kSample, PairSample{"ab", ordinal, "ABBABAAB", {}, {}, "", nullptr, ""});
  }
  void look(int pairs) { add(EventKind::kLook, Look{"ab", pairs, nullptr}); }
  void verdict(int attempt, const std::string& word, const std::string& reason) {
    add(EventKind::kVerdict, VerdictBody{attempt, word, reason, nullptr, nullptr, {}});
  }
  void revert(const std::string& fingerprint, const std::string& reason) {
    const AdmissionResult admitted = start(fingerprint);
    verdict(admitted.ordinal, "REVERT", reason);
    end("reverted", 10);
  }
  void close(const std::string& as) {
    open("close");
    add(EventKind::kClosed, Closed{as, "no card for it"});
    end("closed", 0);
  }
  ExperimentView view() const { return fold(events); }

 private:
  std::string run_;
  int runs_ = 0;
  int index_ = 0;
};

inline Log proposed() {
  Log log;
  log.propose("bar: 5%\n");
  return log;
}

}  // namespace assay
