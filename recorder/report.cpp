#include "recorder/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "recorder/record_parts.h"
#include "recorder/shown_value.h"
#include "recorder/text_form.h"
#include "recorder/verdict_facts.h"
#include "recorder/verdict_picture.h"
#include "recorder/visible_text.h"

namespace assay {
namespace {

using Rows = std::vector<std::vector<Line>>;

constexpr int kWidth = 400;  // columns of an author's paragraph

void row(Rows& rows, const std::string& name, const std::string& value) {
  if (!value.empty()) rows.push_back({{words(name)}, {words(value)}});
}

std::string interval(const nlohmann::json& effect) {
  return fmt::format("{} ({} to {}, {} pairs)", percent(value_at(effect, "estimate")),
                     percent(value_at(effect, "low")), percent(value_at(effect, "high")),
                     shown(value_at(effect, "pairs")));
}

std::string arm(const nlohmann::json& values, const std::string& name) {
  const auto time = number_at(values, name + "_ms");
  const auto rate = number_at(values, name + "_rate");
  if (!time) return "";
  std::string text = fmt::format("{:.3f} ms", *time);
  const nlohmann::json& unit = value_at(values, "rate_unit");
  if (rate) text += fmt::format(", {:.2f} {}", *rate, unit.is_string() ? shown(unit) : "tok/s");
  return text;
}

// "preflight, baseline, identity green; margin red (margin)"
std::string gates_text(const AttemptView& attempt, const ExperimentView& view) {
  std::string green, other;
  for (const RunView& run : view.runs) {
    if (run.run != attempt.verdict_run) continue;
    for (const GateInRun& gate : run.gates) {
      const GateResult& result = gate.result;
      if (result.outcome == "green") {
        green += (green.empty() ? "" : ", ") + result.gate;
      } else {
        other += fmt::format("; {} {}{}", result.gate, result.outcome,
                             result.reason.empty() ? "" : " (" + result.reason + ")");
      }
    }
  }
  if (!green.empty()) green += " green";
  return green.empty() && !other.empty() ? other.substr(2) : green + other;
}

void add_table(Document& document, const RecordParts& parts) {
  Rows rows{{{words("what")}, {words("value")}}};
  const AttemptView* judged = parts.view.judged();
  if (parts.definition) {
    row(rows, "lever, class",
        parts.definition->lever + ", " + to_string(parts.definition->lever_class));
  }
  if (judged != nullptr) {
    std::string candidate;
    for (const auto& [op, variant] : judged->opened.candidate) {
      candidate += (candidate.empty() ? "" : ", ") + variant;
    }
    row(rows, "candidate", candidate);
    const nlohmann::json& effect = judged->verdict->effect;
    if (effect.is_object()) {
      row(rows, "effect", interval(effect));
      const nlohmann::json& confirmation = value_at(effect, "confirmation");
      if (confirmation.is_object()) row(rows, "confirmed, fresh pairs", interval(confirmation));
      if (const auto bar = number_at(plan_of(*judged), "bar")) row(rows, "bar", percent(*bar));
    }
    row(rows, "before", arm(ab_values(*judged), "baseline"));
    row(rows, "after", arm(ab_values(*judged), "candidate"));
    row(rows, "gates", gates_text(*judged, parts.view));
    row(rows, "measured again", cut_to_width(visible_line(replications_text(parts.view)), kWidth));
  }
  const RunView* run = verdict_run(parts.view);
  if (run != nullptr && run->provenance.is_object()) {
    const nlohmann::json& workload = value_at(run->provenance, "workload");
    if (workload.is_string()) row(rows, "workload", shown(workload));
  }
  row(rows, "device", device_of(parts.view));
  row(rows, "date", date_of(parts.view));
  document.table(std::move(rows));
}

void add_words(Document& document, const RecordParts& parts, const std::string& section,
               const std::string& title) {
  if (!parts.notes.has(section)) return;
  document.paragraph(
      {strong(title + ":"),
       words(" " + cut_to_width(visible_line(parts.notes.section(section)), kWidth))});
}

void add_way(Document& document, const RecordParts& parts) {
  const RunView* run = verdict_run(parts.view);
  if (run == nullptr || parts.view.judged() == nullptr) return;
  const auto text = [&](const char* key) {
    const nlohmann::json& value = value_at(run->provenance, key);
    return value.is_string() ? shown(value) : std::string();
  };
  document.paragraph(Line{strong("To measure it again:")});
  std::vector<Line> items{
      {words("from the recorded commit: "), code("assay reproduce " + parts.label.slug)}};
  Line as_it_was{words("as it was measured: "), code(run->argv)};
  if (!text("tree").empty()) {
    as_it_was.push_back(words(" at "));
    as_it_was.push_back(code(text("tree")));
  }
  if (!text("compiler").empty()) as_it_was.push_back(words(", " + text("compiler")));
  items.push_back(std::move(as_it_was));
  if (!text("model").empty()) {
    Line model{words("model "), code(text("model"))};
    if (!text("model_sha256").empty()) {
      model.push_back(words(", SHA-256 "));
      model.push_back(code(text("model_sha256").substr(0, 16)));
    }
    items.push_back(std::move(model));
  }
  document.list(std::move(items));
}

}  // namespace

std::string render_report(const Store& store, const ExperimentLabel& label,
                          const std::string& workspace) {
  const RecordParts parts = gather(store, label, workspace, true);
  Document document;
  document.heading(
      2, fmt::format("{} \u00b7 {} ({})", label.number, title_of(parts), status_mark(parts.view)));
  document.paragraph(
      {strong("Result:"),
       words(" " + cut_to_width(visible_line(result_sentence(parts.view)), kWidth))});
  if (parts.definition) {
    document.paragraph(
        {strong("Hypothesis:"),
         words(" " + cut_to_width(visible_line(parts.definition->hypothesis), kWidth))});
  }
  add_table(document, parts);
  if (const AttemptView* judged = parts.view.judged()) {
    const std::string picture = look_picture(*judged);
    if (!picture.empty()) document.code_block(picture, "text");
  }
  add_words(document, parts, "veto mechanism", "Veto mechanism");
  add_words(document, parts, "retry condition", "Retry condition");
  const std::vector<std::string> owed = lessons_owed(parts.view, parts.notes);
  if (!owed.empty()) document.paragraph("Lessons owed: the author has not written them yet.");
  add_way(document, parts);
  const std::string record = record_stem(label);
  document.paragraph({words("Record: "), link(record, "results/records/" + record + ".md"),
                      words(", with every pair, gate and source.")});
  return to_markdown(document);
}

}  // namespace assay
