#include "gates/cli/verdict_block.h"

#include <fmt/format.h>

#include "gates/cli/percent.h"
#include "recorder/run_time.h"
#include "recorder/verdict_text.h"

namespace assay {
namespace {

// The attempt of this run when it has a verdict; null otherwise.
const AttemptView* judged_here(const ExperimentView& view, const RunOutcome& outcome) {
  if (outcome.outcome != "landed" && outcome.outcome != "reverted" && outcome.outcome != "red") {
    return nullptr;
  }
  for (const AttemptView& attempt : view.attempts) {
    if (attempt.verdict && attempt.verdict_run == outcome.run) return &attempt;
  }
  for (const RunView& run : view.runs) {
    if (run.run != outcome.run || run.attempt == 0) continue;
    for (const AttemptView& attempt : view.attempts) {
      if (attempt.opened.ordinal == run.attempt && attempt.verdict) return &attempt;
    }
  }
  return nullptr;
}

// The run's message, less the verdict that its heading has said.
std::string without_verdict(const std::string& message, const VerdictBody& verdict) {
  const std::string reason = verdict.reason.empty() ? "" : "(" + verdict.reason + ")";
  const std::string said = verdict.verdict + reason + ": ";
  return message.starts_with(said) ? message.substr(said.size()) : message;
}

std::string effect_line(const nlohmann::json& effect) {
  if (!effect.is_object() || !effect.contains("estimate")) return {};
  std::string text = fmt::format("effect   {}", signed_percent(effect.value("estimate", 0.0)));
  if (effect.contains("low") && effect.contains("high")) {
    text += fmt::format("  (95 % interval {} to {}", signed_percent(effect.value("low", 0.0)),
                        signed_percent(effect.value("high", 0.0)));
    if (effect.contains("pairs")) text += fmt::format(", {} pairs", effect.value("pairs", 0));
    text += ")";
  }
  return text + "\n";
}

// One line or more for each fact, under the labels of the block.
std::string basis_lines(const AttemptView& attempt) {
  std::string text;
  for (const FactLines& fact : verdict_lines(verdict_facts(attempt))) {
    std::string label = fact.label;
    for (const std::string& line : fact.lines) {
      text += fmt::format("{:<9}{}\n", label, line);
      label.clear();
    }
  }
  return text;
}

std::string next_line(const ExperimentView& view, const VerdictBody& verdict) {
  if (verdict.verdict == "LAND") {
    return "next     commit experiments/in_service.yaml and results/ with your change\n";
  }
  const std::string lessons = fmt::format("`assay note {}`", view.slug);
  if (view.state == ExperimentState::kReverted) {
    return fmt::format("next     lessons owed: {} with what vetoed it, and when to try again\n",
                       lessons);
  }
  return fmt::format(
      "next     change the kernel and run again, or `assay close {} --as reverted --because "
      "TEXT`\n",
      view.slug);
}

}  // namespace

std::string verdict_block(const ExperimentView& view, const RunOutcome& outcome, int number,
                          const std::string& record) {
  std::string text = "\n";
  if (const AttemptView* attempt = judged_here(view, outcome)) {
    const VerdictBody& verdict = *attempt->verdict;
    text += fmt::format("{}{}{}   {:04} {}, attempt {} of 2\n", verdict.verdict,
                        verdict.reason.empty() ? "" : " ", verdict.reason, number, view.slug,
                        attempt->opened.ordinal);
    const std::string said = without_verdict(outcome.message, verdict);
    if (!said.empty()) text += fmt::format("         {}\n", said);
    text += effect_line(stated_effect(verdict));
    text += basis_lines(*attempt);
    if (!record.empty()) text += fmt::format("record   {}\n", record);
    return text + next_line(view, verdict);
  }
  text += fmt::format("{}   {:04} {}, no verdict\n", outcome.outcome, number, view.slug);
  if (!outcome.message.empty()) text += fmt::format("         {}\n", outcome.message);
  if (!record.empty()) text += fmt::format("record   {}\n", record);
  return text;
}

nlohmann::json verdict_json(const ExperimentView& view, const RunOutcome& outcome, int number,
                            const std::string& record) {
  nlohmann::json json = {{"number", number},
                         {"slug", view.slug},
                         {"state", to_string(view.state)},
                         {"run", outcome.run},
                         {"outcome", outcome.outcome},
                         {"message", outcome.message},
                         {"exit_code", outcome.exit_code},
                         {"record", record},
                         {"verdict", nullptr},
                         {"reason", nullptr},
                         {"effect", nullptr},
                         {"basis", nullptr},
                         {"time", nullptr}};
  for (const RunView& run : view.runs) {
    if (run.run == outcome.run && !run.run.empty()) json["time"] = run_time_json(run_time(run));
  }
  if (const AttemptView* attempt = judged_here(view, outcome)) {
    json["verdict"] = attempt->verdict->verdict;
    json["reason"] = attempt->verdict->reason;
    json["effect"] = attempt->verdict->effect;
    json["basis"] = verdict_facts_json(verdict_facts(*attempt));
  }
  return json;
}

}  // namespace assay
