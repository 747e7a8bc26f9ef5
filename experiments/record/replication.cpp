#include "experiments/record/replication.h"

#include <fmt/format.h>

#include <cmath>

#include "engine/core/error.h"
#include "experiments/record/text_at.h"

namespace assay {
namespace {

std::string in_words(const Finding& finding) {
  if (!finding.timed()) return "red (" + finding.reason + ")";
  const nlohmann::json& effect = finding.effect;
  std::string text =
      fmt::format("{:+.2f} % [{:+.2f}, {:+.2f}]", 100 * effect.value("estimate", 0.0),
                  100 * effect.value("low", 0.0), 100 * effect.value("high", 0.0));
  const auto pairs = effect.find("pairs");
  if (pairs != effect.end() && pairs->is_number_integer()) {
    text += fmt::format(" of {} pairs", pairs->get<std::int64_t>());
  }
  return text;
}

double half_width(const nlohmann::json& effect) {
  return (effect.value("high", 0.0) - effect.value("low", 0.0)) / 2;
}

}  // namespace

bool Finding::timed() const {
  if (!effect.is_object()) return false;
  for (const char* key : {"estimate", "low", "high"}) {
    const auto at = effect.find(key);
    if (at == effect.end() || !at->is_number()) return false;
  }
  return true;
}

Finding finding_of(const VerdictBody& verdict) {
  Finding finding;
  finding.verdict = verdict.verdict;
  const nlohmann::json& effect = stated_effect(verdict);
  finding.effect = effect;
  if (!finding.timed()) {
    finding.effect = nullptr;
    finding.reason = verdict.reason;
  }
  return finding;
}

Agreement compare(const Finding& stored, const Finding& again) {
  Agreement agreement;
  std::string why;
  if (stored.timed() && again.timed()) {
    const double apart =
        std::fabs(stored.effect.value("estimate", 0.0) - again.effect.value("estimate", 0.0));
    const double before = half_width(stored.effect);
    const double now = half_width(again.effect);
    if (apart <= std::hypot(before, now)) {
      const bool wide = now > kWidestAgain * before;
      agreement.bearing = wide ? Bearing::kTooNoisy : Bearing::kAgrees;
      if (wide) {
        why = fmt::format(" (an interval more than {:g} times as wide as the stored one)",
                          kWidestAgain);
      }
    }
  } else if (!stored.timed() && !again.timed() && stored.reason == again.reason) {
    agreement.bearing = Bearing::kAgrees;
  }
  agreement.sentence = fmt::format("stored {}, again {}: {}{}", in_words(stored), in_words(again),
                                   to_string(agreement.bearing), why);
  return agreement;
}

RunEnded Agreement::ended() const {
  switch (bearing) {
    case Bearing::kAgrees:
      return {"agrees", 0, sentence};
    case Bearing::kTooNoisy:
      return {"inconclusive", static_cast<int>(ErrorKind::kInconclusive), sentence};
    case Bearing::kDisagrees:
      break;
  }
  return {"disagrees", static_cast<int>(ErrorKind::kRed), sentence};
}

std::string to_string(Bearing bearing) {
  switch (bearing) {
    case Bearing::kAgrees:
      return "agrees";
    case Bearing::kTooNoisy:
      return "too noisy to say";
    case Bearing::kDisagrees:
      break;
  }
  return "does not agree";
}

std::vector<Replication> replications(const ExperimentView& view) {
  std::vector<Replication> all;
  for (const RunView& run : view.runs) {
    if (!is_replication(run)) continue;
    Replication one;
    one.run = run.run;
    one.at = run.opened_at;
    one.host = text_at(run.provenance, "host");
    one.device = text_at(run.provenance, "device");
    one.commit = text_at(run.provenance, "tree");
    if (run.provenance.is_object() && run.provenance.contains("replicates")) {
      const nlohmann::json& what = run.provenance.at("replicates");
      one.how = text_at(what, "how");
      if (what.is_object()) {
        const auto attempt = what.find("attempt");
        const auto same = what.find("same_code");
        if (attempt != what.end() && attempt->is_number_integer()) one.attempt = *attempt;
        if (same != what.end() && same->is_boolean()) one.same_code = *same;
      }
    }
    if (run.ended) {
      one.outcome = run.ended->outcome;
      one.sentence = run.ended->message;
    }
    for (const GateInRun& gate : run.gates) {
      const nlohmann::json& values = gate.result.values;
      if (!values.is_object() || !values.contains("again")) continue;
      one.stored = values.value("stored", nlohmann::json()).get<Finding>();
      one.again = values.at("again").get<Finding>();
    }
    all.push_back(std::move(one));
  }
  return all;
}

void to_json(nlohmann::json& json, const Finding& finding) {
  json = {{"reason", finding.reason}, {"verdict", finding.verdict}, {"effect", finding.effect}};
}

void from_json(const nlohmann::json& json, Finding& finding) {
  finding.reason = text_at(json, "reason");
  finding.verdict = text_at(json, "verdict");
  finding.effect = json.is_object() ? json.value("effect", nlohmann::json()) : nlohmann::json();
}

}  // namespace assay
