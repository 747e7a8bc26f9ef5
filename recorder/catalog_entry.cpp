// Folded from the events without the samples, which are nine tenths of a history and say nothing
// here but how many pairs an attempt without a verdict has.
#include "recorder/catalog_entry.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/error.h"
#include "experiments/record/json_reader.h"
#include "recorder/shown_value.h"
#include "recorder/visible_text.h"

namespace assay {
namespace {

using Json = nlohmann::json;

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

std::string first_paragraph(const std::string& text) {
  return visible_line(text.substr(0, text.find("\n\n")));
}

// What stopped the attempt: the sentence of the last red gate, else of the timing.
std::string why_of(const ExperimentView& view, const std::vector<GateResult>& gates) {
  std::string timed;
  std::string red;
  for (const GateResult& gate : gates) {
    if (gate.gate == "ab") timed = gate.sentence;
    if (gate.outcome == "red") red = gate.sentence;
  }
  if (view.closed && !view.judged()) return visible_line(view.closed->because);
  return visible_line(red.empty() ? timed : red);
}

std::string next_of(const ExperimentView& view) {
  constexpr const char* kAnother =
      "a new experiment must name this one in `supersedes` and say which retry condition holds now";
  switch (view.state) {
    case ExperimentState::kProposed:
      return "yes: both attempts are left";
    case ExperimentState::kOpen:
      return view.used_attempts() < 2 ? "yes: one attempt is left"
                                      : "yes: the second attempt goes on";
    case ExperimentState::kLanded:
      return "no: it landed; other code is an experiment of its own";
    case ExperimentState::kReverted:
      return std::string("no: reverted, and the two-attempt rule ends it; ") + kAnother;
    case ExperimentState::kClosed:
    case ExperimentState::kMeasured:
    case ExperimentState::kUnreached:
      break;
  }
  return fmt::format("no: {}; {}", to_string(view.state), kAnother);
}

std::optional<Definition> frozen_definition(const ExperimentView& view) {
  if (view.proposal.definition.empty()) return std::nullopt;
  try {
    return parse_definition(view.proposal.definition, "frozen.yaml");
  } catch (const Error&) {
    return std::nullopt;  // frozen under other rules: the row lacks what only the definition says
  }
}

void add_definition(CatalogEntry& entry, const Definition& definition) {
  QueryRow& row = entry.row;
  row.title = definition.title;
  row.lever = definition.lever;
  row.lever_class = to_string(definition.lever_class);
  row.retry = visible_line(definition.retry_when);
  entry.names["lever"].insert(definition.lever);
  entry.names["op"].insert(op_of(definition.lever));
  for (const auto& [op, variant] : definition.candidate) {
    entry.names["op"].insert(op);
    entry.names["variant"].insert(variant);
  }
  for (const auto* workloads : {&definition.workloads, &definition.guards}) {
    for (const Workload& workload : *workloads) entry.names["model"].insert(workload.model);
  }
  entry.words["hypothesis"] = definition.hypothesis;
  entry.words["background"] = definition.background;
  entry.words["principle"] = definition.principle;
  entry.words["retry_when"] = definition.retry_when + "\n" + definition.override_reason;
}

void add_attempts(CatalogEntry& entry, const ExperimentView& view) {
  for (const AttemptView& attempt : view.attempts) {
    for (const auto& [variant, hash] : attempt.opened.code_hashes) {
      entry.names["variant"].insert(variant);
    }
    for (const auto& [op, variant] : attempt.opened.candidate) {
      entry.names["variant"].insert(variant);
    }
    for (const GateInRun& gate : attempt.gates) {
      entry.names["known_gate"].insert(gate.result.gate);
      entry.names["known_outcome"].insert(gate.result.outcome);
      entry.words["gates"] += gate.result.sentence + "\n";
    }
    if (attempt.verdict) {
      entry.words["reasons"] += attempt.verdict->verdict + " " + attempt.verdict->reason + "\n";
    }
  }
  for (const RunView& run : view.runs) {
    if (run.ended && run.command != "propose") entry.words["reasons"] += run.ended->message + "\n";
    const Json& device = value_at(run.provenance, "device");
    if (run.attempt == 0 || !device.is_string()) continue;
    entry.names["gpu"].insert(device.get<std::string>());
  }
  if (view.closed) entry.words["reasons"] += view.closed->because + "\n";
  const auto gpus = entry.names.find("gpu");
  if (gpus != entry.names.end()) entry.row.devices = {gpus->second.begin(), gpus->second.end()};
}

void add_notes(CatalogEntry& entry, const Notes& notes) {
  for (const auto& [section, place] : {std::pair("lessons", "lessons"),
                                       {"veto mechanism", "veto"},
                                       {"retry condition", "retry"},
                                       {"corrections", "corrections"}}) {
    entry.words[place] = notes.section(section);
  }
  entry.words["notes"] = notes.section("") + "\n" + notes.section("background") + "\n" +
                         notes.section("principle") + "\n" + notes.section("implementation");
  for (const std::string& title : notes.others) {
    std::string key = title;
    std::transform(key.begin(), key.end(), key.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    entry.words["notes"] += "\n" + title + "\n" + notes.section(key);
  }
  entry.row.veto = first_paragraph(notes.section("veto mechanism"));
  const std::string retry = first_paragraph(notes.section("retry condition"));
  if (!retry.empty()) entry.row.retry = retry;
}

void add_names_as_words(CatalogEntry& entry) {
  std::string& words = entry.words["names"];
  words = entry.row.slug;
  for (const char* kind : {"lever", "op", "variant", "model", "gpu"}) {
    for (const std::string& name : entry.names[kind]) words += "\n" + name;
  }
}

ExperimentView view_of(const Store& store, const std::string& slug) {
  ExperimentView view = fold(store.events_without({EventKind::kSample}, slug));
  const bool unjudged = std::any_of(view.attempts.begin(), view.attempts.end(),
                                    [](const AttemptView& attempt) { return !attempt.verdict; });
  return unjudged ? fold(store.events(slug)) : view;
}

}  // namespace

CatalogEntry catalog_entry(const Store& store, const ExperimentLabel& label, const Notes& notes) {
  CatalogEntry entry;
  const ExperimentView view = view_of(store, label.slug);
  QueryRow& row = entry.row;
  row.number = label.number;
  row.slug = label.slug;
  row.title = label.slug;
  row.state = to_string(view.state);
  row.attempts = view.used_attempts();
  row.date = date_of(view);
  if (const auto definition = frozen_definition(view)) add_definition(entry, *definition);
  const AttemptView* attempt = view.judged();
  if (!attempt && !view.attempts.empty()) attempt = &view.attempts.back();
  const std::vector<GateResult> gates = telling_gates(attempt);
  row.gates = Json::object();
  for (const GateResult& gate : gates) row.gates[gate.gate] = gate.outcome;
  row.digests = digests_of(gates);
  if (attempt) add_effect(row, *attempt);
  for (const auto& [gate, outcome] : row.gates.items()) {
    entry.names["gate"].insert(gate + "=" + outcome.get<std::string>());
  }
  row.why = why_of(view, gates);
  row.next = next_of(view);
  add_attempts(entry, view);
  add_notes(entry, notes);
  entry.words["title"] = row.title;
  add_names_as_words(entry);
  return entry;
}

std::string facts_of(const QueryRow& row) {
  return Json{
      {"number", row.number},     {"slug", row.slug},         {"title", row.title},
      {"lever", row.lever},       {"class", row.lever_class}, {"state", row.state},
      {"verdict", row.verdict},   {"reason", row.reason},     {"effect", row.effect},
      {"interval", row.interval}, {"pairs", row.pairs},       {"digests", row.digests},
      {"gates", row.gates},       {"attempts", row.attempts}, {"date", row.date},
      {"devices", row.devices},   {"why", row.why},           {"veto", row.veto},
      {"retry", row.retry},       {"next", row.next},         {"historical", row.historical}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

QueryRow row_of_facts(const std::string& facts) {
  const Json json = read_json(facts);
  QueryRow row;
  json.at("number").get_to(row.number);
  json.at("slug").get_to(row.slug);
  json.at("title").get_to(row.title);
  json.at("lever").get_to(row.lever);
  json.at("class").get_to(row.lever_class);
  json.at("state").get_to(row.state);
  json.at("verdict").get_to(row.verdict);
  json.at("reason").get_to(row.reason);
  row.effect = json.at("effect");
  row.interval = json.at("interval");
  json.at("pairs").get_to(row.pairs);
  row.digests = json.at("digests");
  row.gates = json.at("gates");
  json.at("attempts").get_to(row.attempts);
  json.at("date").get_to(row.date);
  json.at("devices").get_to(row.devices);
  json.at("why").get_to(row.why);
  json.at("veto").get_to(row.veto);
  json.at("retry").get_to(row.retry);
  json.at("next").get_to(row.next);
  row.historical = json.value("historical", std::string());
  return row;
}

}  // namespace assay
