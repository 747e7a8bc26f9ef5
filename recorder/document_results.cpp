// Results: before and after, the looks, every pair. What was not measured says so.
//
// Medians per arm are descriptive and come from the raw samples; the estimate is the verdict's own,
// from pair differences, and need not equal the ratio of the medians.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "recorder/record_parts.h"
#include "recorder/shown_value.h"
#include "recorder/telemetry_table.h"
#include "recorder/verdict_facts.h"
#include "recorder/verdict_picture.h"
#include "recorder/verdict_text.h"

namespace assay {
namespace {

using Json = nlohmann::json;

std::string milliseconds(std::optional<double> value) {
  return value ? fmt::format("{:.3f} ms", *value) : kNotMeasured;
}

std::vector<double> arm_times(const AttemptView& attempt, const std::string& stage, char arm) {
  std::vector<double> times;  // ms
  for (const PairSample& pair : attempt.samples) {
    if (pair.stage != stage || !pair.dropped.empty() || !readable(pair)) continue;
    for (std::size_t i = 0; i < pair.labels.size(); ++i) {
      if (pair.labels[i] == arm) times.push_back(static_cast<double>(pair.worker_ns[i]) / 1e6);
    }
  }
  return times;
}

std::optional<double> median(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

void add_before_after(Document& document, const AttemptView& attempt) {
  const Json& values = ab_values(attempt);
  const auto arm = [&](const std::string& name, char label) -> std::vector<Line> {
    std::optional<double> time = number_at(values, name + "_ms");
    if (!time) time = median(arm_times(attempt, "ab", label));
    const std::optional<double> rate = number_at(values, name + "_rate");
    const Json& unit = value_at(values, "rate_unit");
    const std::string shown_rate =
        rate ? fmt::format("{:.2f} {}", *rate, unit.is_string() ? unit.get<std::string>() : "tok/s")
             : kNotMeasured;
    return row_of(name, milliseconds(time), shown_rate);
  };
  document.table({{{words("arm")}, {words("median time")}, {words("rate")}},
                  arm("baseline", 'A'),
                  arm("candidate", 'B')});
  if (!attempt.verdict || !attempt.verdict->effect.is_object()) return;
  const Json& effect = attempt.verdict->effect;
  const Json& confirmation = value_at(effect, "confirmation");
  const std::string confirmed = confirmation.is_object()
                                    ? fmt::format("{} over {} pairs, lower bound {}",
                                                  percent(value_at(confirmation, "estimate")),
                                                  shown(value_at(confirmation, "pairs")),
                                                  percent(value_at(confirmation, "low")))
                                    : kNotMeasured;
  const std::optional<double> bar = number_at(plan_of(attempt), "bar");
  std::vector<std::vector<Line>> rows{{{words("quantity")}, {words("value")}}};
  const auto row = [&](const char* name, const std::string& value) {
    rows.push_back(row_of(name, value));
  };
  row("effect, t(baseline) / t(candidate) - 1", percent(value_at(effect, "estimate")));
  row("interval",
      fmt::format("{} to {}", percent(value_at(effect, "low")), percent(value_at(effect, "high"))));
  row("bar", bar ? percent(*bar) : "not recorded");
  row("pairs", shown(value_at(effect, "pairs")));
  row("standard deviation of a pair", percent(value_at(effect, "pair_sd")));
  row("confirmation", confirmed);
  for (const auto& [key, value] : effect.items()) {
    const bool known = key == "estimate" || key == "low" || key == "high" || key == "pairs" ||
                       key == "pair_sd" || key == "confirmation";
    if (known) continue;
    row(key.c_str(), value.is_structured() ? one_line(value) : shown(value));
  }
  document.table(std::move(rows));
}

void add_basis(Document& document, const VerdictFacts& facts) {
  std::vector<std::vector<Line>> rows{{{words("what")}, {words("what it rests on")}}};
  for (const FactLines& fact : verdict_lines(facts)) {
    std::string text;
    for (const std::string& line : fact.lines) text += (text.empty() ? "" : "; ") + line;
    rows.push_back(row_of(fact.label, std::move(text)));
  }
  document.table(std::move(rows));
}

void add_looks(Document& document, const AttemptView& attempt) {
  const std::string picture = verdict_picture(attempt);
  if (!picture.empty()) document.code_block(picture, "text");
  if (attempt.looks.empty()) return;
  std::vector<std::vector<Line>> rows{{{words("stage")},
                                       {words("pairs")},
                                       {words("estimate")},
                                       {words("interval")},
                                       {words("error ruled by")},
                                       {words("other values")}}};
  for (const Look& look : attempt.looks) {
    const JudgedLook judged = judged_look(look);
    Json others = look.values;
    for (const char* key : {"stage", "pairs", "estimate", "low", "high"}) {
      if (others.is_object()) others.erase(key);
    }
    rows.push_back(row_of(look.stage, std::to_string(look.pairs),
                          percent(value_at(look.values, "estimate")), interval_text(judged),
                          ruling_error(judged), one_line(others)));
  }
  document.paragraph("The looks, in order:");
  document.table(std::move(rows));
}

void add_telemetry(Document& document, const AttemptView& attempt) {
  std::vector<std::vector<Line>> rows{{{words("meanwhile")}, {words("value")}}};
  for (const auto& [what, value] : telemetry_rows(attempt.samples)) {
    rows.push_back(row_of(what, value));
  }
  document.table(std::move(rows));
}

void add_pairs(Document& document, const AttemptView& attempt) {
  if (attempt.samples.empty()) return;
  std::vector<std::vector<Line>> rows{{{words("stage")},
                                       {words("pair")},
                                       {words("order")},
                                       {words("effect")},
                                       {words("segments, ms")},
                                       {words("dropped")}}};
  for (const PairSample& pair : attempt.samples) {
    const std::optional<double> effect = pair_effect(pair);
    std::string times;
    for (const auto ns : pair.worker_ns) {
      fmt::format_to(std::back_inserter(times), "{}{:.3f}", times.empty() ? "" : " ",
                     static_cast<double>(ns) / 1e6);
    }
    rows.push_back(row_of(pair.stage, std::to_string(pair.ordinal + 1), pair.labels,
                          effect ? percent(*effect) : kNotMeasured, std::move(times),
                          pair.dropped.empty() ? "no" : pair.dropped));
  }
  const bool twins = std::any_of(attempt.samples.begin(), attempt.samples.end(), [](auto& pair) {
    return pair.labels.find('C') != std::string::npos;
  });
  document.paragraph(fmt::format("Every pair, by the worker's clock (A in service, B candidate{}):",
                                 twins ? ", C in service a second time" : ""));
  document.table(std::move(rows));
}

}  // namespace

void add_results(Document& document, const RecordParts& parts) {
  document.heading(2, "5. Results");
  if (parts.view.attempts.empty()) document.paragraph("Nothing was measured: no attempt was made.");
  for (const AttemptView& attempt : parts.view.attempts) {
    document.heading(3, fmt::format("Times of attempt {}", attempt.opened.ordinal));
    const bool timed = !attempt.samples.empty() || ab_values(attempt).is_object();
    if (!timed) {
      document.paragraph(
          "Times: not measured. Nothing is timed before every earlier gate is green.");
      continue;
    }
    Json plan = plan_of(attempt);
    if (plan.is_object()) {
      plan.erase("aa");  // the verdict's basis in the JSON record holds these
      document.paragraph(
          {strong("Plan, frozen with the first pair:"), words(" " + one_line(plan))});
    }
    add_before_after(document, attempt);
    add_basis(document, verdict_facts(attempt));
    add_looks(document, attempt);
    add_telemetry(document, attempt);
    add_pairs(document, attempt);
  }
}

}  // namespace assay
