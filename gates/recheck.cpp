// Verdicts computed again from what is stored.
//
// A timed verdict must follow from its plan and samples by the very function that gave it; a red
// one must have a red gate of the same reason in its run. Derived values are compared at 9 digits.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "engine/core/error.h"
#include "gates/ab_values.h"
#include "gates/gate_ab.h"
#include "gates/runner.h"
#include "gates/segment_tags.h"

namespace assay {
namespace {

bool same_number(double a, double b) {
  return a == b || std::fabs(a - b) <= 1e-9 * std::max(std::fabs(a), std::fabs(b));
}

// Paths at which two JSON values differ, numbers compared at 9 digits.
void differences(const nlohmann::json& a, const nlohmann::json& b, const std::string& path,
                 std::vector<std::string>& lines) {
  if (a.is_number() && b.is_number()) {
    if (!same_number(a.get<double>(), b.get<double>())) {
      lines.push_back(fmt::format("{} is {}, computed again {}", path, a.dump(), b.dump()));
    }
    return;
  }
  if (a.is_object() && b.is_object()) {
    for (const auto& [key, value] : a.items()) {
      differences(value, b.contains(key) ? b.at(key) : nlohmann::json(), path + "." + key, lines);
    }
    for (const auto& [key, value] : b.items()) {
      if (!a.contains(key)) differences(nlohmann::json(), value, path + "." + key, lines);
    }
    return;
  }
  if (a != b) lines.push_back(fmt::format("{} is {}, computed again {}", path, a.dump(), b.dump()));
}

bool timed(const VerdictBody& verdict) {
  for (const char* reason : {"", "slower", "no-gain", "guard", "unproven"}) {
    if (verdict.reason == reason) return true;
  }
  return false;
}

// Tags follow from the segments' stored times. `selection` is a simulation, kept as it came out.
void recheck_tags(const AttemptView& attempt, const AbJudgement& judgement, const std::string& at,
                  std::vector<std::string>& lines) {
  for (const GateInRun& gate : attempt.gates) {
    const nlohmann::json& values = gate.result.values;
    if (gate.run != attempt.verdict_run || gate.result.gate != "ab" || !values.is_object())
      continue;
    const nlohmann::json tags =
        segment_tags(std::span(attempt.samples).subspan(judgement.pooled_from, judgement.pooled));
    for (const char* tag : {"carry_over", "clock_mediated"}) {
      // A record from before there were tags has none.
      if (!values.contains(tag)) continue;
      differences(values.at(tag), tags.value(tag, nlohmann::json()), at + tag, lines);
    }
  }
}

void recheck_timed(const AttemptView& attempt, const std::string& at,
                   std::vector<std::string>& lines) {
  const VerdictBody& verdict = *attempt.verdict;
  if (!attempt.plan) {
    lines.push_back(at + "a timed verdict without a plan");
    return;
  }
  // Given up by a run of another attempt: unproven without a judgement.
  const bool own = std::find(attempt.runs.begin(), attempt.runs.end(), attempt.verdict_run) !=
                   attempt.runs.end();
  if (!own && verdict.reason == "unproven" && verdict.effect.is_null()) return;
  const AbPlan plan = attempt.plan->at("plan").get<AbPlan>();
  check_plan(plan);
  const AbJudgement judgement = judge(plan, launch_pairs(attempt.samples));
  differences(verdict.effect, effect_json(judgement), at + "effect", lines);
  recheck_tags(attempt, judgement, at, lines);
  const bool land = judgement.action == AbAction::kLand;
  if (land != (verdict.verdict == "LAND") || (!land && judgement.reason != verdict.reason)) {
    // An attempt that ended unproven for its environment has fewer pairs than a verdict needs.
    if (verdict.reason == "unproven" && attempt.invalid_runs >= 2) return;
    lines.push_back(fmt::format("{}verdict is {}({}), computed again {}({})", at, verdict.verdict,
                                verdict.reason, to_string(judgement.action), judgement.reason));
  }
}

void recheck_red(const AttemptView& attempt, const std::string& at,
                 std::vector<std::string>& lines) {
  const VerdictBody& verdict = *attempt.verdict;
  if (verdict.verdict != "REVERT") {
    lines.push_back(fmt::format("{}verdict is {}({}): a red gate cannot give that", at,
                                verdict.verdict, verdict.reason));
  }
  const bool red =
      std::any_of(attempt.gates.begin(), attempt.gates.end(), [&](const GateInRun& gate) {
        return gate.result.outcome == "red" && gate.result.reason == verdict.reason;
      });
  if (!red) lines.push_back(at + "REVERT(" + verdict.reason + ") without a red gate for it");
}

}  // namespace

std::vector<std::string> recheck_verdicts(const ExperimentView& view) {
  std::vector<std::string> lines;
  for (const AttemptView& attempt : view.attempts) {
    if (!attempt.verdict) continue;
    const std::string at = fmt::format("{} attempt {}: ", view.slug, attempt.opened.ordinal);
    try {
      (timed(*attempt.verdict) ? recheck_timed : recheck_red)(attempt, at, lines);
    } catch (const nlohmann::json::exception&) {
      lines.push_back(at + "its plan or a sample is of another form");
    } catch (const Error& error) {
      lines.push_back(at + error.what());
    }
  }
  return lines;
}

}  // namespace assay
