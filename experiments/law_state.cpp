#include "experiments/law_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/error.h"
#include "experiments/historical.h"
#include "experiments/record/text_at.h"
#include "experiments/record/view.h"

namespace assay {
namespace {

// The run that gave an attempt its verdict, or its last one.
const RunView* deciding_run(const ExperimentView& view, const AttemptView& attempt) {
  const std::string& id = !attempt.verdict_run.empty() ? attempt.verdict_run
                          : attempt.runs.empty()       ? attempt.verdict_run
                                                       : attempt.runs.back();
  const auto at = std::find_if(view.runs.begin(), view.runs.end(),
                               [&](const RunView& run) { return run.run == id; });
  return at == view.runs.end() ? nullptr : &*at;
}

bool was_green(const AttemptView& attempt, const char* gate, const std::string& run) {
  return std::any_of(attempt.gates.begin(), attempt.gates.end(), [&](const GateInRun& found) {
    return found.run == run && found.result.gate == gate && found.result.outcome == "green";
  });
}

// The incumbents stand in the preflight of each run; the candidate in the attempt, which may have
// another one than the definition.
std::vector<LawSubject::Change> changes_of(const AttemptView& attempt) {
  std::vector<LawSubject::Change> changes;
  for (const auto& [op, variant] : attempt.opened.candidate) {
    LawSubject::Change change{op, "", variant};
    for (const GateInRun& gate : attempt.gates) {
      const nlohmann::json& values = gate.result.values;
      if (gate.result.gate != "preflight" || !values.is_object()) continue;
      const nlohmann::json of_op =
          values.value("changes", nlohmann::json::object()).value(op, nlohmann::json::object());
      const std::string incumbent = text_at(of_op, "incumbent");
      if (!incumbent.empty()) change.incumbent = incumbent;
    }
    changes.push_back(std::move(change));
  }
  return changes;
}

bool is_timed(const std::string& reason) {
  return !is_red_reason(reason);
}

}  // namespace

std::vector<LawRecord> law_records(const ExperimentLabel& label, const ExperimentView& view) {
  std::vector<LawRecord> records;
  LawSubject subject;
  try {
    subject = law_subject(parse_definition(view.proposal.definition, label.slug));
  } catch (const Error&) {
    return records;
  }
  for (const AttemptView& attempt : view.attempts) {
    const RunView* run = deciding_run(view, attempt);
    if (run == nullptr) continue;
    LawRecord record{label.number, label.slug, subject, "", "", "", "", false};
    record.subject.changes = changes_of(attempt);
    record.device = text_at(run->provenance, "device");
    const std::string cuda = text_at(run->provenance, "cuda_compiler");
    record.compiler = cuda.empty() ? text_at(run->provenance, "compiler") : cuda;
    if (attempt.verdict) {
      record.verdict = attempt.verdict->verdict;
      record.reason = attempt.verdict->reason;
    }
    for (const std::string& id : attempt.runs) {
      const bool both = was_green(attempt, "identity", id) && was_green(attempt, "parity", id);
      record.bits_equal = record.bits_equal || both;
    }
    records.push_back(std::move(record));
  }
  return records;
}

std::vector<LawRecord> law_records(const History& history) {
  std::vector<LawRecord> records;
  for (const ExperimentLabel& label : history.experiments()) {
    for (LawRecord& record : law_records(label, fold(history.events(label.slug)))) {
      records.push_back(std::move(record));
    }
  }
  return records;
}

int says_of(const Law& law, const LawRecord& record) {
  if (!law.when.matches(record.subject)) return 0;
  if (!law.not_class.empty()) {
    if (law.not_class != to_string(record.subject.lever_class)) return 0;
    if (record.verdict == "REVERT" && is_red_reason(record.reason)) {
      const bool of_class =
          record.reason == "identity" || record.reason == "parity" || record.reason == "margin";
      return of_class ? 1 : 0;
    }
    return record.bits_equal ? -1 : 0;
  }
  if (law.lands) {
    if (record.verdict == "LAND") return 1;
    return record.reason == "slower" || record.reason == "no-gain" ? -1 : 0;
  }
  if (record.verdict == "LAND") return -1;
  const auto& reasons = law.reasons;
  if (std::find(reasons.begin(), reasons.end(), record.reason) != reasons.end()) return 1;
  // A law that says "it is red" is contradicted by one that was timed.
  const bool red = std::all_of(reasons.begin(), reasons.end(), is_red_reason);
  return red && record.verdict == "REVERT" && is_timed(record.reason) ? -1 : 0;
}

std::string LawState::word() const {
  if (!contradicted.empty()) return "contradicted";
  return upheld.empty() ? "not met yet" : "upheld";
}

namespace {

// Two attempts of an experiment that ended alike are one record.
void add_once(std::vector<LawRecord>& list, const LawRecord& record) {
  const bool again = !list.empty() && list.back().slug == record.slug &&
                     list.back().verdict == record.verdict && list.back().reason == record.reason;
  if (!again) list.push_back(record);
}

}  // namespace

LawState state_of(const Law& law, const std::vector<LawRecord>& records) {
  LawState state;
  for (const LawRecord& record : records) {
    // Unlike of a definition, of a record it is known where it ran: a name that is missing is none.
    const bool named = (law.devices.empty() || !record.device.empty()) &&
                       (law.compilers.empty() || !record.compiler.empty());
    if (!named || !law.within(record.device, record.compiler)) continue;
    const int says = says_of(law, record);
    if (says > 0) add_once(state.upheld, record);
    if (says < 0) add_once(state.contradicted, record);
  }
  return state;
}

std::vector<std::string> law_faults(const std::string& workspace, const History& history) {
  std::vector<std::string> faults;
  try {
    const std::vector<HistoricalEntry> elsewhere = read_historical(workspace).entries;
    for (const Law& law : read_laws(workspace)) {
      for (const std::string& slug : law.evidence) {
        if (find_historical(elsewhere, slug) != nullptr || history.find(slug)) continue;
        faults.push_back(
            fmt::format("{}:{}: {} rests on {}, and there is no such record; take it in, or "
                        "name another as evidence",
                        kLawsPath, law.line, law.slug, slug));
      }
    }
  } catch (const Error& error) {
    faults.emplace_back(error.what());
  }
  return faults;
}

std::vector<LawTouched> laws_touched(const nlohmann::json& preflight) {
  if (!preflight.is_object()) return {};
  const auto at = preflight.find("laws");
  if (at == preflight.end() || !at->is_array()) return {};
  std::vector<LawTouched> touched;
  for (const nlohmann::json& one : *at) {
    try {
      touched.push_back(one.get<LawTouched>());
    } catch (const nlohmann::json::exception&) {
      continue;  // written by another version: what it says is not known here
    }
  }
  return touched;
}

}  // namespace assay
