// The structs of events read leniently, so that a history of another version stays readable. Here
// the words are asked for that decide something: an unknown one would be read as none.
#include "gates/history_faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <string_view>

#include "engine/core/error.h"
#include "engine/core/printable.h"
#include "gates/land_claim.h"
#include "gates/replicate.h"
#include "gates/runner.h"
#include "gates/statistics/plan.h"

namespace assay {
namespace {

constexpr int kMostAttempts = 2;

bool is_one_of(const std::string& word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string not_known(const char* what, const std::string& word) {
  return fmt::format("{} \"{}\" is none that there is", what, printable(word));
}

std::string fault_of(const GateResult& gate) {
  if (!is_one_of(gate.gate,
                 {"preflight", "baseline", "identity", "parity", "margin", "ab", "behaviour"})) {
    return not_known("its gate", gate.gate);
  }
  if (!is_one_of(gate.outcome, {"green", "red", "invalid", "error", "skipped", "no-power"})) {
    return not_known("its outcome", gate.outcome);
  }
  return std::isfinite(gate.seconds) && gate.seconds >= 0 ? "" : "it took no time that can be";
}

std::string fault_of(const AttemptOpened& attempt) {
  if (attempt.ordinal < 1 || attempt.ordinal > kMostAttempts) {
    return fmt::format("attempt {} of at most {}", attempt.ordinal, kMostAttempts);
  }
  return attempt.fingerprint.empty() || attempt.candidate.empty()
             ? "it has no fingerprint or no candidate"
             : "";
}

std::string fault_of(const VerdictBody& verdict) {
  if (verdict.attempt < 1 || verdict.attempt > kMostAttempts) {
    return fmt::format("on attempt {} of at most {}", verdict.attempt, kMostAttempts);
  }
  if (!is_one_of(verdict.verdict, {"LAND", "REVERT"})) {
    return not_known("its verdict", verdict.verdict);
  }
  const bool land = verdict.verdict == "LAND";
  const bool reason = land ? verdict.reason.empty()
                           : is_one_of(verdict.reason, {"identity", "parity", "margin", "not-live",
                                                        "resources", "race", "crash", "hang",
                                                        "slower", "no-gain", "guard", "unproven"});
  if (!reason) return not_known("its reason", verdict.reason);
  if (!verdict.effect.is_null() && !verdict.effect.is_object()) return "its effect is none";
  if (!land && !verdict.intents.empty()) return "a REVERT that would change a map";
  return "";
}

std::string fault_of(const PairSample& sample) {
  const std::size_t segments = sample.labels.size();
  if (segments == 0 || sample.worker_ns.size() != segments || sample.runner_ns.size() != segments) {
    return "its segments and times are not of one number";
  }
  const auto none = [](std::int64_t time) { return time <= 0; };
  const bool timed = std::none_of(sample.worker_ns.begin(), sample.worker_ns.end(), none);
  return timed && sample.ordinal >= 0 ? "" : "a time or its ordinal is negative, or none";
}

std::string fault_of_plan(const nlohmann::json& body) {
  const AbPlan plan = body.at("plan").get<AbPlan>();
  check_plan(plan);
  const bool fit = plan.segment_s >= 0 && plan.drop_limit >= 0 && plan.drop_limit <= 1;
  return fit ? "" : "its segment or its limit of drops is none";
}

std::string fault_of(const Event& event) {
  switch (event.kind) {
    case EventKind::kGateResult:
      return fault_of(event.body.get<GateResult>());
    case EventKind::kAttemptOpened:
      return fault_of(event.body.get<AttemptOpened>());
    case EventKind::kVerdict:
      return fault_of(event.body.get<VerdictBody>());
    case EventKind::kSample:
      return fault_of(sample_of(event));
    case EventKind::kPlanFrozen:
      return fault_of_plan(event.body);
    case EventKind::kClosed: {
      const auto closed = event.body.get<Closed>();
      const bool known = is_one_of(closed.as, {"closed", "unreached", "measured", "reverted"});
      return known ? "" : not_known("its state", closed.as);
    }
    default:
      return "";
  }
}

// Whether this program still has the lever and the variants that a definition names. Of one that it
// has not, nothing can come to serve: the map is read by the same names.
bool is_known(const std::string& definition) {
  try {
    parse_definition(definition, "a frozen definition");
    return true;
  } catch (const Error&) {
    return false;
  }
}

// Error(kCheckFound) and exceptions of JSON as text.
std::string caught(const Event& event) {
  try {
    return fault_of(event);
  } catch (const nlohmann::json::exception&) {
    return "a part is missing or of the wrong type";
  } catch (const Error& error) {
    return error.what();
  }
}

// What events and replications owe, without the view.
std::vector<std::string> faults_of(std::span<const Event> events) {
  std::vector<std::string> faults;
  std::map<std::string, std::size_t> runs;  // id -> its place
  for (const Event& event : events) {
    const std::size_t run = runs.emplace(event.run, runs.size()).first->second;
    const std::string fault = caught(event);
    if (fault.empty()) continue;
    faults.push_back(fmt::format("run {} ({}), event {} ({}): {}", run, event.run, event.index,
                                 to_string(event.kind), fault));
  }
  for (const std::string& line : replication_faults(events)) faults.push_back(line);
  return faults;
}

void add_faults_of(const ExperimentView& view, std::vector<std::string>& faults) {
  try {
    for (const std::string& line : recheck_verdicts(view)) faults.push_back(line);
    if (has_landed(view) && is_known(view.proposal.definition)) land_claim(view);
  } catch (const Error& error) {
    faults.emplace_back(error.what());
  }
}

}  // namespace

std::vector<std::string> history_faults(std::span<const Event> events, const ExperimentView& view) {
  std::vector<std::string> faults = faults_of(events);
  add_faults_of(view, faults);
  return faults;
}

std::vector<std::string> history_faults(std::span<const Event> events) {
  std::vector<std::string> faults = faults_of(events);
  try {
    add_faults_of(fold(events), faults);
  } catch (const Error& error) {
    faults.emplace_back(error.what());
  }
  return faults;
}

}  // namespace assay
