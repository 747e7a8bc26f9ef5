// Replications: runs of `assay reproduce`, each a row beside what the record says. The verdict
// stays what it is, whatever they found; a reader sees whether it holds up.
#include <fmt/format.h>

#include <algorithm>

#include "experiments/record/replication.h"
#include "recorder/record_parts.h"
#include "recorder/shown_value.h"

namespace assay {
namespace {

std::string text_of(const Finding& finding) {
  if (!finding.timed()) return finding.reason.empty() ? kNotMeasured : "red, " + finding.reason;
  const nlohmann::json& effect = finding.effect;
  return fmt::format("{} ({} to {}, {} pairs)", percent(value_at(effect, "estimate")),
                     percent(value_at(effect, "low")), percent(value_at(effect, "high")),
                     shown(value_at(effect, "pairs")));
}

// What a replication found beside the record, or why it found nothing.
std::string bearing_text(const Replication& one) {
  const bool both = (one.stored.timed() || !one.stored.reason.empty()) &&
                    (one.again.timed() || !one.again.reason.empty());
  if (both) return to_string(compare(one.stored, one.again).bearing);
  if (one.outcome.empty()) return "goes on";
  return one.outcome + (one.sentence.empty() ? "" : ": " + one.sentence);
}

// "7 green", or the first that is not.
std::string gates_text(const ExperimentView& view, const std::string& id) {
  const auto run = std::find_if(view.runs.begin(), view.runs.end(),
                                [&](const RunView& candidate) { return candidate.run == id; });
  const auto bad = std::find_if(run->gates.begin(), run->gates.end(), [](const GateInRun& gate) {
    return gate.result.outcome != "green";
  });
  if (bad != run->gates.end()) return bad->result.gate + " " + bad->result.outcome;
  return fmt::format("{} green", run->gates.size());
}

std::string place_text(const Replication& one) {
  return fmt::format("{}, {}", one.device.empty() ? "not recorded" : one.device,
                     one.host.empty() ? "not recorded" : one.host);
}

// "1, as-built", "2, rebuilt, other code"
std::string build_text(const Replication& one) {
  std::string text = one.attempt == 0 ? "not recorded" : fmt::format("{}", one.attempt);
  if (!one.how.empty()) text += ", " + one.how;
  return text + (one.same_code ? "" : ", other code");
}

}  // namespace

void add_replications(Document& document, const RecordParts& parts) {
  const std::vector<Replication> all = replications(parts.view);
  if (all.empty() && parts.view.judged() == nullptr) return;
  document.heading(3, "Replications");
  if (all.empty()) {
    document.paragraph({words("None yet: "), code("assay reproduce " + parts.label.slug),
                        words(" measures it again.")});
    return;
  }
  document.paragraph("Measured again later. The verdict stays; no pair is pooled with it.");
  std::vector<std::vector<Line>> rows{{{words("date")},
                                       {words("device, host")},
                                       {words("attempt")},
                                       {words("gates")},
                                       {words("on record")},
                                       {words("again")},
                                       {words("beside the record")}}};
  for (const Replication& one : all) {
    rows.push_back({{words(one.at.substr(0, 16))},
                    {words(place_text(one))},
                    {words(build_text(one))},
                    {words(gates_text(parts.view, one.run))},
                    {words(text_of(one.stored))},
                    {words(text_of(one.again))},
                    {words(bearing_text(one))}});
  }
  document.table(std::move(rows));
}

// "2 times: agrees, too noisy to say"
std::string replications_text(const ExperimentView& view) {
  const std::vector<Replication> all = replications(view);
  if (all.empty()) return "";
  std::string text = all.size() == 1 ? "once" : fmt::format("{} times", all.size());
  for (const Replication& one : all)
    text += (&one == &all.front() ? ": " : ", ") + bearing_text(one);
  return text;
}

}  // namespace assay
