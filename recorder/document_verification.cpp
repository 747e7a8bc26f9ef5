// Verification: what each gate defends against, what it found, and where every number came from.
#include <fmt/format.h>

#include <array>
#include <utility>

#include "experiments/record/replication.h"
#include "recorder/record_parts.h"
#include "recorder/run_time.h"
#include "recorder/shown_value.h"

namespace assay {
namespace {

// One sentence each; a gate that is not listed is shown without one.
constexpr std::array<std::pair<const char*, const char*>, 7> kDefends{{
    {"preflight", "work on a change that could not pay, or that is no change"},
    {"baseline", "an instrument that disagrees with itself, or a baseline from another build"},
    {"identity", "tokens or logits that change under a claim of equal bits"},
    {"parity", "a kernel that is wrong by itself, and a fault that both arms share"},
    {"margin", "a drift that greedy decoding hides and a sampler would show"},
    {"ab", "a gain that is noise, drift, or a choice of the better reading"},
    {"behaviour", "a revert that leaves something behind"},
}};

std::string defends(const std::string& gate) {
  for (const auto& [name, sentence] : kDefends) {
    if (gate == name) return sentence;
  }
  return "";
}

Line words_or(const std::string& text, const std::string& otherwise) {
  return {words(text.empty() ? otherwise : text)};
}

void add_gates(Document& document, const std::vector<GateInRun>& gates) {
  if (gates.empty()) {
    document.paragraph("No gate was reached.");
    return;
  }
  std::vector<std::vector<Line>> rows{{{words("gate")},
                                       {words("outcome")},
                                       {words("defends against")},
                                       {words("what was found")},
                                       {words("seconds")}}};
  for (const GateInRun& gate : gates) {
    const GateResult& result = gate.result;
    const std::string outcome =
        result.outcome + (result.reason.empty() ? "" : " (" + result.reason + ")");
    rows.push_back(row_of(result.gate, outcome, words_or(defends(result.gate), "not described"),
                          words_or(result.sentence, "nothing reported"),
                          fmt::format("{:.2f}", result.seconds)));
  }
  document.table(std::move(rows));
  std::vector<Line> values;
  for (const GateInRun& gate : gates) {
    nlohmann::json shown = gate.result.values;
    if (shown.is_object()) {
      shown.erase("judgement");  // every look of it stands under Results
      shown.erase("spent");      // and this below
    }
    const std::string text = one_line(shown);
    values.push_back(
        {strong(gate.result.gate), words(": " + (text.empty() ? kNotMeasured : text))});
  }
  document.list(std::move(values));
}

std::string run_title(const ExperimentView& view, std::size_t index) {
  const RunView& run = view.runs[index];
  std::string title =
      fmt::format("run {}, {}, {}", index + 1, run.command, run.opened_at.substr(0, 19));
  if (run.ended) title += fmt::format(", {} (exit {})", run.ended->outcome, run.ended->exit_code);
  return title;
}

void add_runs_of(Document& document, const ExperimentView& view, int attempt) {
  for (std::size_t i = 0; i < view.runs.size(); ++i) {
    const RunView& run = view.runs[i];
    if (run.attempt != attempt || (attempt == 0 && run.gates.empty())) continue;
    if (is_replication(run)) continue;
    document.paragraph({strong(run_title(view, i)), words(": "), code(run.argv)});
    add_gates(document, run.gates);
    if (!run.gates.empty()) document.paragraph("Time: " + run_time_text(run_time(run)) + ".");
    if (run.ended && !run.ended->message.empty()) {
      document.paragraph("The run ended with: " + run.ended->message);
    }
  }
}

void add_provenance(Document& document, const ExperimentView& view) {
  document.heading(3, "Provenance");
  for (std::size_t i = 0; i < view.runs.size(); ++i) {
    const RunView& run = view.runs[i];
    document.paragraph(
        {strong(run_title(view, i)), words(": "), code(run.argv), words(", id "), code(run.run)});
    if (i > 0 && run.provenance == view.runs[i - 1].provenance) {
      document.paragraph("Every value as in the run before.");
      continue;
    }
    std::vector<std::vector<Line>> rows{{{words("what")}, {words("value")}}};
    for (const auto& [key, value] : leaves(run.provenance)) {
      rows.push_back(row_of(key, value));
    }
    if (rows.size() == 1) document.paragraph("Nothing was recorded.");
    document.table(std::move(rows));
  }
}

}  // namespace

void add_verification(Document& document, const RecordParts& parts) {
  document.heading(2, "4. Verification");
  if (parts.view.attempts.empty()) document.paragraph("No attempt was made.");
  for (const AttemptView& attempt : parts.view.attempts) {
    const std::string verdict =
        !attempt.verdict
            ? "no verdict"
            : attempt.verdict->verdict +
                  (attempt.verdict->reason.empty() ? "" : ", " + attempt.verdict->reason);
    document.heading(3, fmt::format("Attempt {}: {}{}", attempt.opened.ordinal, verdict,
                                    attempt.used ? "" : " (not used)"));
    add_runs_of(document, parts.view, attempt.opened.ordinal);
  }
  bool outside = false;
  for (const RunView& run : parts.view.runs)
    outside = outside || (run.attempt == 0 && !run.gates.empty() && !is_replication(run));
  if (outside) {
    document.heading(3, "Runs outside an attempt");
    add_runs_of(document, parts.view, 0);
  }
  add_replications(document, parts);
  add_provenance(document, parts.view);
}

}  // namespace assay
