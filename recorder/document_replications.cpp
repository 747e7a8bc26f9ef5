// Replications: runs of `assay reproduce`, each a row beside what the record says. The verdict
// stays what it is, whatever they found; a reader sees whether it holds up.
#include <fmt/format.h>

#include <algorithm>

#include "recorder/record_parts.h"
#include "recorder/shown_value.h"

namespace assay {
namespace {

using Json = nlohmann::json;

struct Interval {
  std::optional<double> estimate, low, high;
  Json pairs;

  bool whole() const { return estimate && low && high; }
};

Interval interval_of(const Json& effect) {
  return {number_at(effect, "estimate"), number_at(effect, "low"), number_at(effect, "high"),
          value_at(effect, "pairs")};
}

// The last look that a run's A/B took, or what it calls its effect.
Interval measured(const RunView& run) {
  for (auto gate = run.gates.rbegin(); gate != run.gates.rend(); ++gate) {
    if (gate->result.gate != "ab") continue;
    const Json& values = gate->result.values;
    const Json& effect = value_at(values, "effect");
    if (effect.is_object()) return interval_of(effect);
    const Json& looks = value_at(value_at(values, "judgement"), "looks");
    if (!looks.is_array()) continue;
    for (auto look = looks.rbegin(); look != looks.rend(); ++look) {
      if (value_at(*look, "stage") == "ab") return interval_of(*look);
    }
  }
  return {};
}

std::string text_of(const Interval& interval) {
  if (!interval.whole()) return kNotMeasured;
  return fmt::format("{} ({} to {}, {} pairs)", percent(*interval.estimate), percent(*interval.low),
                     percent(*interval.high), shown(interval.pairs));
}

// Two intervals agree where each holds the other's estimate, or they overlap by as much.
std::string agreement(const Interval& stored, const Interval& again) {
  if (!stored.whole() || !again.whole()) return "cannot be compared";
  const bool overlap = *again.low <= *stored.high && *stored.low <= *again.high;
  return overlap ? "agrees: the intervals overlap" : "does not agree: the intervals are apart";
}

// "7 green", or the first that is not.
std::string gates_text(const RunView& run) {
  const auto bad = std::find_if(run.gates.begin(), run.gates.end(), [](const GateInRun& gate) {
    return gate.result.outcome != "green";
  });
  if (bad != run.gates.end()) return bad->result.gate + " " + bad->result.outcome;
  return fmt::format("{} green", run.gates.size());
}

std::string device_text(const RunView& run) {
  const Json& device = value_at(run.provenance, "device");
  const Json& host = value_at(run.provenance, "host");
  return fmt::format("{}, {}", device.is_string() ? device.get<std::string>() : "not recorded",
                     host.is_string() ? host.get<std::string>() : "not recorded");
}

}  // namespace

bool is_replication(const RunView& run) {
  return run.command == "reproduce";
}

void add_replications(Document& document, const RecordParts& parts) {
  const ExperimentView& view = parts.view;
  if (std::none_of(view.runs.begin(), view.runs.end(), is_replication)) return;
  const AttemptView* judged = view.judged();
  const Interval stored =
      judged == nullptr ? Interval{} : interval_of(stated_effect(*judged->verdict));
  document.heading(3, "Replications");
  document.paragraph(
      "Measured again later. The verdict stays; no pair is pooled with it. On record: " +
      text_of(stored) + ".");
  std::vector<std::vector<Line>> rows{{{words("date")},
                                       {words("device, host")},
                                       {words("gates")},
                                       {words("effect")},
                                       {words("beside the record")},
                                       {words("ended")}}};
  for (const RunView& run : view.runs) {
    if (!is_replication(run)) continue;
    const Interval again = measured(run);
    rows.push_back({{words(run.opened_at.substr(0, 16))},
                    {words(device_text(run))},
                    {words(gates_text(run))},
                    {words(text_of(again))},
                    {words(agreement(stored, again))},
                    {words(run.ended ? run.ended->outcome : "goes on")}});
  }
  document.table(std::move(rows));
}

}  // namespace assay
