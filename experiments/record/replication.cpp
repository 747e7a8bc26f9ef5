#include "experiments/record/replication.h"

#include <fmt/format.h>

#include <cmath>

namespace assay {
namespace {

std::string text_at(const nlohmann::json& json, const char* key) {
  if (!json.is_object()) return "";
  const auto at = json.find(key);
  return at != json.end() && at->is_string() ? at->get<std::string>() : "";
}

std::string in_words(const Finding& finding) {
  if (!finding.timed()) return "red (" + finding.reason + ")";
  const nlohmann::json& effect = finding.effect;
  std::string text =
      fmt::format("{:+.2f} % [{:+.2f}, {:+.2f}]", 100 * effect.value("estimate", 0.0),
                  100 * effect.value("low", 0.0), 100 * effect.value("high", 0.0));
  if (effect.contains("pairs")) text += fmt::format(" of {} pairs", effect.value("pairs", 0));
  return text;
}

double half_width(const nlohmann::json& effect) {
  return (effect.value("high", 0.0) - effect.value("low", 0.0)) / 2;
}

}  // namespace

Finding finding_of(const VerdictBody& verdict) {
  Finding finding;
  finding.verdict = verdict.verdict;
  const nlohmann::json& effect = stated_effect(verdict);
  if (effect.is_object() && effect.contains("estimate")) {
    finding.effect = effect;
  } else {
    finding.reason = verdict.reason;
  }
  return finding;
}

Agreement compare(const Finding& stored, const Finding& again) {
  Agreement agreement;
  if (stored.timed() && again.timed()) {
    const double apart =
        std::fabs(stored.effect.value("estimate", 0.0) - again.effect.value("estimate", 0.0));
    agreement.agrees = apart <= std::hypot(half_width(stored.effect), half_width(again.effect));
  } else if (!stored.timed() && !again.timed()) {
    agreement.agrees = stored.reason == again.reason;
  }
  agreement.sentence = fmt::format("stored {}, again {}: {}", in_words(stored), in_words(again),
                                   agreement.agrees ? "agrees" : "does not agree");
  return agreement;
}

std::vector<Replication> replications(const ExperimentView& view) {
  std::vector<Replication> all;
  for (const RunView& run : view.runs) {
    if (run.command != kReproduce) continue;
    Replication one;
    one.run = run.run;
    one.at = run.opened_at;
    one.host = text_at(run.provenance, "host");
    one.device = text_at(run.provenance, "device");
    one.commit = text_at(run.provenance, "tree");
    if (run.provenance.is_object() && run.provenance.contains("replicates")) {
      const nlohmann::json& what = run.provenance.at("replicates");
      one.attempt = what.value("attempt", 0);
      one.how = text_at(what, "how");
      one.same_code = what.value("same_code", true);
    }
    if (run.ended) {
      one.outcome = run.ended->outcome;
      one.sentence = run.ended->message;
    }
    for (const GateInRun& gate : run.gates) {
      const nlohmann::json& values = gate.result.values;
      if (!values.is_object() || !values.contains("again")) continue;
      one.stored = values.value("stored", Finding{});
      one.again = values.value("again", Finding{});
    }
    all.push_back(std::move(one));
  }
  return all;
}

void to_json(nlohmann::json& json, const Finding& finding) {
  json = {{"reason", finding.reason}, {"verdict", finding.verdict}, {"effect", finding.effect}};
}

void from_json(const nlohmann::json& json, Finding& finding) {
  finding.reason = json.value("reason", "");
  finding.verdict = json.value("verdict", "");
  finding.effect = json.value("effect", nlohmann::json());
}

}  // namespace assay
