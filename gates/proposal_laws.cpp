#include "gates/proposal_laws.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/core/cpu.h"
#include "engine/core/device.h"
#include "engine/core/error.h"
#include "experiments/definition_place.h"
#include "experiments/nearest_name.h"
#include "gates/judged_device.h"
#include "gates/subject.h"

namespace assay {
namespace {

// Something that stands against the definition and has no answer.
struct Unanswered {
  std::string key;                 // what `answers` would name
  std::vector<std::string> lines;  // what it is, for people
};

std::string answer_to(const Definition& definition, const std::string& key) {
  const auto at = definition.answers.find(key);
  return at == definition.answers.end() ? "" : at->second;
}

std::string names_of(const std::vector<LawRecord>& records) {
  std::vector<std::string> names;
  for (const LawRecord& record : records) {
    const std::string how =
        record.reason.empty() ? record.verdict : record.verdict + " " + record.reason;
    names.push_back(
        fmt::format("{:04} {} ({})", record.number, record.slug, how.empty() ? "bits equal" : how));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

Unanswered unanswered(const Law& law, const LawState& state) {
  Unanswered open{law.slug,
                  {fmt::format("law {}: {}", law.slug, law.statement),
                   fmt::format("  it says    {}: {}", law.when.describe(), law.claim()),
                   fmt::format("  learnt from {}", fmt::join(law.evidence, ", "))}};
  if (!state.upheld.empty()) {
    open.lines.push_back("  borne out by " + names_of(state.upheld));
  }
  open.lines.push_back("  would be refuted by: " + law.refuted_by);
  return open;
}

Unanswered unanswered(const HistoricalEntry& entry) {
  return {entry.id,
          {fmt::format("{} {}: REVERT ({}), {}", entry.id, entry.title, entry.reason,
                       historical_origin(entry)),
           "  veto       " + entry.veto, "  retry when " + entry.retry_when}};
}

Unanswered unanswered(const SameAsked& same) {
  return {same.label.slug,
          {fmt::format("record {:04} {}: {}: it judged this very candidate on this workload",
                       same.label.number, same.label.slug, same.verdict),
           fmt::format("  `supersedes: {}` with `retry_when` takes it up again", same.label.slug)}};
}

// Where the definition says what is objected to: the answer that is missing has no place.
DefinitionPath place_of(const Definition& definition) {
  if (!definition.answers.empty()) return {"answers"};
  return {"candidate", definition.candidate.begin()->first};
}

[[noreturn]] void refuse(const Definition& definition, const std::vector<Unanswered>& open) {
  std::string text;
  try {
    refuse_at(definition, place_of(definition),
              open.size() == 1
                  ? "what is known speaks against this, and the definition does not answer it"
                  : fmt::format("{} things that are known speak against this, and the definition "
                                "does not answer them",
                                open.size()));
  } catch (const Error& error) {
    text = error.what();
  }
  for (const Unanswered& one : open) {
    for (const std::string& line : one.lines) text += "\n" + line;
  }
  text += "\nTo go on all the same, say in the definition why this is different:\n";
  text += definition.answers.empty() ? "answers:" : "answers:  # beside those that are there";
  for (const Unanswered& one : open) text += fmt::format("\n  {}: WHY THIS IS DIFFERENT", one.key);
  throw Error(ErrorKind::kUsage, text);
}

void check_answers(const Definition& definition, const KnownGround& known) {
  const std::vector<std::string_view> names(known.answerable.begin(), known.answerable.end());
  for (const auto& [key, unused] : definition.answers) {
    if (std::find(names.begin(), names.end(), key) != names.end()) continue;
    refuse_at(definition, {"answers", key},
              fmt::format("`answers.{}` answers nothing that there is{}", key,
                          suggestion(key, names,
                                     "`assay laws` and `assay query` list what can be answered")));
  }
}

LawTouched touched_by(const Law& law, const LawState& state, bool against, std::string answer) {
  return {.slug = law.slug,
          .kind = "law",
          .statement = law.statement,
          .says = against ? "against" : "for",
          .state = state.word(),
          .evidence = law.evidence,
          .answer = std::move(answer)};
}

}  // namespace

std::vector<LawTouched> meet(const Definition& definition, const LawSubject& subject,
                             const std::string& device, const KnownGround& known) {
  check_answers(definition, known);
  std::vector<LawTouched> touched;
  std::vector<Unanswered> open;
  for (const Law& law : known.laws) {
    const bool against = law.against(subject);
    if (!law.within(device, "") || (!against && !(law.lands && law.when.matches(subject)))) {
      continue;
    }
    const LawState state = state_of(law, known.records);
    const std::string answer = answer_to(definition, law.slug);
    touched.push_back(touched_by(law, state, against, answer));
    // A law that a verdict has contradicted is shown and stands in nobody's way.
    if (against && answer.empty() && state.contradicted.empty()) {
      open.push_back(unanswered(law, state));
    }
  }
  for (const HistoricalEntry& entry : known.historical) {
    if (!entry.meets || !entry.meets->matches(subject)) continue;
    const bool against = entry.verdict == "REVERT";
    const std::string answer = answer_to(definition, entry.id);
    touched.push_back({.slug = entry.id,
                       .kind = "historical",
                       .statement = entry.title,
                       .says = against ? "against" : "met",
                       .state = entry.verdict + (entry.reason.empty() ? "" : " " + entry.reason),
                       .evidence = {historical_origin(entry)},
                       .answer = answer});
    if (against && answer.empty()) open.push_back(unanswered(entry));
  }
  for (const SameAsked& same : known.same) {
    if (definition.supersedes == same.label.slug) continue;
    if (answer_to(definition, same.label.slug).empty()) open.push_back(unanswered(same));
  }
  if (!open.empty()) refuse(definition, open);
  return touched;
}

std::vector<std::string> touched_lines(const std::vector<LawTouched>& touched) {
  std::vector<std::string> lines;
  for (const LawTouched& one : touched) {
    if (one.kind == "law") {
      lines.push_back(
          fmt::format("law     {} ({}) is {}: {}", one.slug, one.state, one.says, one.statement));
    } else {
      lines.push_back(fmt::format("prior   {} {}  {}, {}", one.slug, one.statement, one.state,
                                  fmt::join(one.evidence, ", ")));
    }
    if (!one.answer.empty()) lines.push_back("        answered: " + one.answer);
  }
  return lines;
}

namespace {

// The variants that serve now where the candidate would.
void add_incumbents(const Definition& definition, const RunContext& context, LawSubject& subject) {
  const std::string path = "experiments/" + definition.service;
  const ServiceMap map = read_service_map(context.workspace + "/" + path);
  const std::string device = definition.scope.device.empty() ? std::string(device_key(cpu_level()))
                                                             : definition.scope.device;
  if (subject.device.empty()) subject.device = device;
  for (LawSubject::Change& change : subject.changes) {
    change.incumbent = scoped_row(map, path, device, definition.scope, change.op).variant;
  }
}

bool same_question(const Definition& a, const Definition& b) {
  return a.candidate == b.candidate && a.scope.device == b.scope.device &&
         describe(a.workloads.front()) == describe(b.workloads.front());
}

void add_records(const Definition& definition, const RunContext& context, KnownGround& known) {
  for (const ExperimentLabel& label : context.history.experiments()) {
    known.answerable.push_back(label.slug);
    if (label.slug == definition.slug) continue;
    const ExperimentView view = fold(context.history.events(label.slug));
    for (LawRecord& record : law_records(label, view)) {
      known.records.push_back(std::move(record));
    }
    const AttemptView* judged = view.judged();
    if (judged == nullptr) continue;
    try {
      const Definition other = parse_definition(view.proposal.definition, label.slug);
      if (!same_question(definition, other)) continue;
    } catch (const Error&) {
      continue;  // its lever or a variant is gone, so it asked something else
    }
    const VerdictBody& verdict = *judged->verdict;
    known.same.push_back(
        {label, verdict.verdict + (verdict.reason.empty() ? "" : " (" + verdict.reason + ")")});
  }
}

}  // namespace

void check_known_ground(const Definition& definition, const RunContext& context,
                        ProposalCheck& check) {
  KnownGround known;
  known.laws = read_laws(context.workspace);
  HistoricalEntries historical = read_historical(context.workspace);
  if (!historical.faults.empty()) {
    throw Error(ErrorKind::kUsage, historical.faults.front());
  }
  known.historical = std::move(historical.entries);
  for (const Law& law : known.laws) known.answerable.push_back(law.slug);
  for (const HistoricalEntry& entry : known.historical) known.answerable.push_back(entry.id);
  add_records(definition, context, known);
  LawSubject subject = law_subject(definition);
  add_incumbents(definition, context, subject);
  const bool here = backend_of_key(subject.device) == BackendKind::kCpu;
  const std::vector<LawTouched> touched =
      meet(definition, subject, here ? cpu_model_name() : "", known);
  for (const std::string& line : touched_lines(touched)) check.lines.push_back(line);
  if (!touched.empty()) check.stored["laws"] = touched;
}

}  // namespace assay
