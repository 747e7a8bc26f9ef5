// One row per experiment, then filters over rows and definitions. Everything is folded from events
// at the time of asking: thousands of experiments take milliseconds, and no summary can grow stale.
#include "recorder/query.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>

#include "engine/core/error.h"
#include "recorder/record_parts.h"
#include "recorder/shown_value.h"

namespace assay {
namespace {

using Json = nlohmann::json;

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool contains(const std::string& text, const std::string& part) {
  return lower(text).find(lower(part)) != std::string::npos;
}

std::string op_of(const std::string& lever) {
  return lever.substr(0, lever.find('.'));
}

// The gate results that describe an attempt: those of the run that judged it, else all of them.
std::vector<GateResult> telling_gates(const AttemptView* attempt) {
  std::vector<GateResult> out;
  if (!attempt) return out;
  for (const GateInRun& gate : attempt->gates) {
    if (!attempt->verdict || gate.run == attempt->verdict_run) out.push_back(gate.result);
  }
  return out;
}

// {baseline, candidate} of the identity gate: under "digests", or as baseline_digest and
// candidate_digest.
Json digests_of(const std::vector<GateResult>& gates) {
  Json out;
  for (const GateResult& gate : gates) {
    if (gate.gate != "identity") continue;
    const Json& together = value_at(gate.values, "digests");
    const Json& baseline = together.is_object() ? value_at(together, "baseline")
                                                : value_at(gate.values, "baseline_digest");
    const Json& candidate = together.is_object() ? value_at(together, "candidate")
                                                 : value_at(gate.values, "candidate_digest");
    if (baseline.is_null() && candidate.is_null()) continue;
    out = {{"baseline", baseline}, {"candidate", candidate}};
  }
  return out;
}

void add_effect(QueryRow& row, const AttemptView& attempt) {
  row.pairs = static_cast<int>(std::count_if(
      attempt.samples.begin(), attempt.samples.end(),
      [](const PairSample& pair) { return pair.stage == "ab" && pair.dropped.empty(); }));
  if (!attempt.verdict) return;
  row.verdict = attempt.verdict->verdict;
  row.reason = attempt.verdict->reason;
  const Json& effect = stated_effect(*attempt.verdict);
  if (const auto estimate = number_at(effect, "estimate")) row.effect = *estimate;
  const auto low = number_at(effect, "low"), high = number_at(effect, "high");
  if (low && high) row.interval = {*low, *high};
  if (const auto pairs = number_at(effect, "pairs")) row.pairs = static_cast<int>(*pairs);
}

struct Found {
  QueryRow row;
  ExperimentView view;
  std::optional<Definition> definition;
};

Found describe(const Store& store, const ExperimentLabel& label) {
  Found found;
  found.view = fold(store.events(label.slug));
  QueryRow& row = found.row;
  row.number = label.number;
  row.slug = label.slug;
  row.title = label.slug;
  row.state = to_string(found.view.state);
  row.attempts = found.view.used_attempts();
  row.date = date_of(found.view);
  try {
    if (!found.view.proposal.definition.empty()) {
      found.definition = parse_definition(found.view.proposal.definition, label.slug + ".yaml");
      row.title = found.definition->title;
      row.lever = found.definition->lever;
      row.lever_class = to_string(found.definition->lever_class);
    }
  } catch (const Error&) {
    // frozen under other rules: the row stays, without what only the definition says
  }
  const AttemptView* attempt = found.view.judged();
  if (!attempt && !found.view.attempts.empty()) attempt = &found.view.attempts.back();
  const std::vector<GateResult> gates = telling_gates(attempt);
  row.gates = Json::object();
  for (const GateResult& gate : gates) row.gates[gate.gate] = gate.outcome;
  row.digests = digests_of(gates);
  if (attempt) add_effect(row, *attempt);
  return found;
}

bool uses_model(const Definition& definition, const std::string& model) {
  const auto named = [&](const Workload& workload) { return contains(workload.model, model); };
  return std::any_of(definition.workloads.begin(), definition.workloads.end(), named) ||
         std::any_of(definition.guards.begin(), definition.guards.end(), named);
}

bool serves_op(const Found& found, const std::string& op) {
  if (op_of(found.row.lever) == op) return true;
  return found.definition && found.definition->candidate.count(op) != 0;
}

// "identity": it was red there; "identity=green": it had that outcome.
bool gate_matches(const Json& gates, const std::string& asked) {
  const std::size_t at = asked.find('=');
  const std::string outcome = at == std::string::npos ? "red" : asked.substr(at + 1);
  return value_at(gates, asked.substr(0, at)) == Json(outcome);
}

bool matches(const Found& found, const QueryFilter& filter) {
  const QueryRow& row = found.row;
  if (!filter.lever.empty() && row.lever != filter.lever) return false;
  if (!filter.op.empty() && !serves_op(found, filter.op)) return false;
  if (!filter.verdict.empty() && lower(row.verdict) != lower(filter.verdict)) return false;
  if (!filter.gate.empty() && !gate_matches(row.gates, filter.gate)) return false;
  if (!filter.state.empty() && row.state != lower(filter.state)) return false;
  if (!filter.since.empty() && row.date < filter.since) return false;
  if (!filter.text.empty() && !contains(found.view.proposal.definition, filter.text)) return false;
  if (!filter.model.empty() && !(found.definition && uses_model(*found.definition, filter.model))) {
    return false;
  }
  return true;
}

std::string gates_in_words(const Json& gates) {
  std::string out;
  for (const auto& [gate, outcome] : gates.items()) {
    out += fmt::format("{}{}={}", out.empty() ? "" : " ", gate, shown(outcome));
  }
  return out;
}

std::string format_json(const std::vector<QueryRow>& rows) {
  std::string out = "[\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const QueryRow& row = rows[i];
    nlohmann::ordered_json object;
    object["number"] = row.historical.empty() ? Json(row.number) : Json();
    object["slug"] = row.slug;
    object["title"] = row.title;
    object["lever"] = row.lever;
    object["class"] = row.lever_class;
    object["state"] = row.state;
    object["verdict"] = row.verdict.empty() ? Json() : Json(row.verdict);
    object["reason"] = row.reason;
    object["effect"] = row.effect;
    object["interval"] = row.interval;
    object["pairs"] = row.pairs;
    object["digests"] = row.digests;
    object["gates"] = row.gates;
    object["attempts"] = row.attempts;
    object["date"] = row.date;
    out += "  " + object.dump(-1, ' ', false, Json::error_handler_t::replace) +
           (i + 1 < rows.size() ? ",\n" : "\n");
  }
  return out + "]\n";
}

// For machines: numbers in full, one column per value.
std::vector<std::vector<std::string>> csv_cells(const std::vector<QueryRow>& rows) {
  const auto full = [](const Json& value) { return value.is_null() ? "" : value.dump(); };
  const auto text = [](const Json& value) { return value.is_null() ? "" : shown(value); };
  std::vector<std::vector<std::string>> cells{
      {"number", "slug", "title", "lever", "class", "state", "verdict", "reason", "effect", "low",
       "high", "pairs", "baseline_digest", "candidate_digest", "gates", "attempts", "date"}};
  for (const QueryRow& row : rows) {
    const bool interval = row.interval.is_array() && row.interval.size() == 2;
    cells.push_back({row.historical.empty() ? std::to_string(row.number) : row.historical, row.slug,
                     row.title, row.lever, row.lever_class, row.state, row.verdict, row.reason,
                     full(row.effect), interval ? full(row.interval[0]) : "",
                     interval ? full(row.interval[1]) : "", std::to_string(row.pairs),
                     text(value_at(row.digests, "baseline")),
                     text(value_at(row.digests, "candidate")), gates_in_words(row.gates),
                     std::to_string(row.attempts), row.date});
  }
  return cells;
}

// For people.
std::vector<std::vector<std::string>> table_cells(const std::vector<QueryRow>& rows) {
  std::vector<std::vector<std::string>> cells{{"number", "title", "lever", "class", "state",
                                               "verdict", "reason", "effect", "interval", "pairs",
                                               "attempts", "date"}};
  for (const QueryRow& row : rows) {
    const bool interval = row.interval.is_array() && row.interval.size() == 2;
    cells.push_back({row.historical.empty() ? fmt::format("{:04}", row.number) : row.historical,
                     row.title, row.lever, row.lever_class, row.state,
                     row.verdict.empty() ? "-" : row.verdict, row.reason.empty() ? "-" : row.reason,
                     row.effect.is_number() ? percent(row.effect) : "-",
                     interval ? percent(row.interval[0]) + " to " + percent(row.interval[1]) : "-",
                     std::to_string(row.pairs), std::to_string(row.attempts), row.date});
  }
  return cells;
}

}  // namespace

void check_since(const std::string& since) {
  const std::string form = "dddd-dd-dd";
  bool right = since.size() == form.size();
  for (std::size_t i = 0; right && i < form.size(); ++i) {
    right = form[i] == '-' ? since[i] == '-' : since[i] >= '0' && since[i] <= '9';
  }
  if (right) {
    const auto part = [&](std::size_t at, std::size_t size) {
      return static_cast<unsigned>(std::stoi(since.substr(at, size)));
    };
    right =
        std::chrono::year_month_day(std::chrono::year(static_cast<int>(part(0, 4))),
                                    std::chrono::month(part(5, 2)), std::chrono::day(part(8, 2)))
            .ok();
  }
  if (!right) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--since {}: not a date; write it as 2026-01-31", since));
  }
}

std::vector<QueryRow> query(const Store& store, const QueryFilter& filter) {
  if (!filter.since.empty()) check_since(filter.since);
  std::vector<QueryRow> rows;
  for (const ExperimentLabel& label : store.experiments()) {
    const Found found = describe(store, label);
    if (matches(found, filter)) rows.push_back(found.row);
  }
  return rows;
}

HistoryNames names_in(const Store& store) {
  HistoryNames names;
  for (const ExperimentLabel& label : store.experiments()) {
    const Found found = describe(store, label);
    for (const AttemptView& attempt : found.view.attempts) {
      for (const GateInRun& gate : attempt.gates) {
        names.gates.insert(gate.result.gate);
        names.outcomes.insert(gate.result.outcome);
      }
    }
    if (!found.definition) continue;
    names.levers.insert(found.definition->lever);
    names.ops.insert(op_of(found.definition->lever));
    for (const auto& [op, variant] : found.definition->candidate) names.ops.insert(op);
    for (const Workload& workload : found.definition->workloads)
      names.models.insert(workload.model);
    for (const Workload& workload : found.definition->guards) names.models.insert(workload.model);
  }
  return names;
}

std::string format_rows(const std::vector<QueryRow>& rows, TableFormat format) {
  if (format == TableFormat::kJson) return format_json(rows);
  return format_cells(format == TableFormat::kCsv ? csv_cells(rows) : table_cells(rows), format);
}

}  // namespace assay
