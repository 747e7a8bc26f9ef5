// Gathering; see record_parts.h.
#include "recorder/record_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <sstream>

#include "engine/core/error.h"
#include "engine/core/lower.h"
#include "engine/core/whole_file.h"
#include "recorder/correction.h"
#include "recorder/record_values.h"
#include "recorder/shown_value.h"

namespace assay {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r\n") + 1 - first);
}

constexpr std::array<const char*, 8> kKnownSections{
    "",        "background",     "principle",       "implementation",
    "lessons", "veto mechanism", "retry condition", "corrections"};

std::optional<Definition> parse_frozen(const ExperimentView& view) {
  if (view.proposal.definition.empty()) return std::nullopt;
  try {
    return parse_definition(view.proposal.definition, view.slug + ".yaml");
  } catch (const Error&) {
    return std::nullopt;  // frozen by a version that knew other keys: shown as text only
  }
}

}  // namespace

std::string Notes::section(const std::string& title) const {
  const auto found = sections.find(title);
  return found == sections.end() ? "" : found->second;
}

Notes parse_notes(const std::string& path, const std::string& text) {
  Notes notes;
  notes.path = path;
  std::istringstream stream(text);
  std::string line, title;
  bool fenced = false;  // a "## " inside a code block is code
  std::map<std::string, std::string> raw;
  while (std::getline(stream, line)) {
    if (line.rfind("```", 0) == 0) fenced = !fenced;
    if (!fenced && line.rfind("## ", 0) == 0) {
      const std::string written = trimmed(line.substr(3));
      title = lower(written);
      const bool known =
          std::find(kKnownSections.begin(), kKnownSections.end(), title) != kKnownSections.end();
      if (!known && raw.count(title) == 0) notes.others.push_back(written);
      raw[title];
      continue;
    }
    if (!fenced && title.empty() && line.rfind("# ", 0) == 0) continue;  // the file's own title
    raw[title] += line + "\n";
  }
  for (const auto& [name, body] : raw) notes.sections[name] = trimmed(body);
  return notes;
}

std::vector<ExperimentLabel> recorded_experiments(const Store& store) {
  return store.recorded();
}

namespace {

// Where the words are shown; the frozen text itself stays as it was.
void mark_corrections(Definition& definition, const std::vector<Correction>& corrections) {
  for (std::string* text : {&definition.hypothesis, &definition.background, &definition.principle,
                            &definition.retry_when}) {
    *text = with_corrections(std::move(*text), "definition", corrections);
  }
}

RecordParts parts_of(const Store& store, const ExperimentLabel& label, const std::string& workspace,
                     std::span<const Event> events, const Recorded& all) {
  RecordParts parts;
  parts.label = label;
  parts.view = fold(events);
  parts.view.slug = label.slug;
  parts.definition = parse_frozen(parts.view);
  const std::string path = fmt::format("experiments/notes/{}.md", label.slug);
  parts.notes = parse_notes(path, read_whole_file(workspace + "/" + path, path).value_or(""));
  const std::vector<Correction> corrections = corrections_in(parts.notes.section("corrections"));
  if (parts.definition) mark_corrections(*parts.definition, corrections);
  std::optional<std::vector<RecordValue>> values;
  for (auto& [title, text] : parts.notes.sections) {
    text = with_corrections(text, title, corrections);
    if (text.find("{{") == std::string::npos) continue;  // names no value
    if (!values) values = record_values(parts.view, parts.definition);
    text = with_values(text, *values);
  }
  parts.all = all ? all : std::make_shared<const std::vector<ExperimentLabel>>(store.recorded());
  const auto next = std::upper_bound(
      parts.all->begin(), parts.all->end(), label.number,
      [](int number, const ExperimentLabel& other) { return number < other.number; });
  if (next != parts.all->end()) parts.next = *next;
  const auto previous = std::lower_bound(
      parts.all->begin(), parts.all->end(), label.number,
      [](const ExperimentLabel& other, int number) { return other.number < number; });
  if (previous != parts.all->begin()) parts.previous = *std::prev(previous);
  return parts;
}

void erase_unsealed(const Store& store, const std::string& slug, std::vector<Event>& events) {
  std::set<std::string> sealed;
  for (const Store::StoredRun& run : store.runs(slug)) {
    if (!run.seal.empty()) sealed.insert(run.id);
  }
  std::erase_if(events, [&](const Event& event) { return sealed.count(event.run) == 0; });
}

}  // namespace

std::vector<Event> sealed_events(const Store& store, const std::string& slug) {
  std::vector<Event> events = store.events(slug);
  erase_unsealed(store, slug, events);
  return events;
}

RecordParts gather_for_index(const Store& store, const ExperimentLabel& label,
                             const std::string& workspace, const Recorded& all) {
  std::vector<Event> events = store.events_without(
      {EventKind::kSample, EventKind::kGateResult, EventKind::kPlanFrozen}, label.slug);
  erase_unsealed(store, label.slug, events);
  return parts_of(store, label, workspace, events, all);
}

RecordParts gather(const Store& store, const ExperimentLabel& label, const std::string& workspace,
                   bool sealed_only, const Recorded& all) {
  return gather(store, label, workspace,
                sealed_only ? sealed_events(store, label.slug) : store.events(label.slug), all);
}

RecordParts gather(const Store& store, const ExperimentLabel& label, const std::string& workspace,
                   std::span<const Event> events, const Recorded& all) {
  RecordParts parts = parts_of(store, label, workspace, events, all);
  for (const AttemptView& attempt : parts.view.attempts) {
    for (const auto& [source, sha256] : attempt.opened.sources) {
      if (auto text = store.shared_blob(sha256)) parts.sources[sha256] = std::move(text);
    }
  }
  return parts;
}

std::vector<std::string> lessons_owed(const ExperimentView& view, const Notes& notes) {
  std::vector<std::string> owed;
  if (view.state != ExperimentState::kReverted) return owed;
  for (const char* title : {"lessons", "veto mechanism", "retry condition"}) {
    if (!notes.has(title)) owed.push_back(title);
  }
  return owed;
}

std::string title_of(const RecordParts& parts) {
  return parts.definition && !parts.definition->title.empty() ? parts.definition->title
                                                              : parts.label.slug;
}

std::string status_mark(const ExperimentView& view) {
  std::string mark = to_string(view.state);
  std::transform(mark.begin(), mark.end(), mark.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return mark;
}

std::string date_of(const ExperimentView& view) {
  if (const AttemptView* judged = view.judged()) return judged->verdict_at.substr(0, 10);
  if (view.closed) {
    for (auto run = view.runs.rbegin(); run != view.runs.rend(); ++run) {
      if (run->command == "close") return run->ended_at.substr(0, 10);
    }
  }
  if (!view.proposed_at.empty()) return view.proposed_at.substr(0, 10);
  return view.runs.empty() ? "" : view.runs.front().opened_at.substr(0, 10);
}

std::string device_of(const ExperimentView& view) {
  const RunView* run = verdict_run(view);
  if (run == nullptr || run->attempt == 0) return "";
  const nlohmann::json& device = value_at(run->provenance, "device");
  return device.is_string() ? device.get<std::string>() : "";
}

std::string reason_of(const ExperimentView& view) {
  const AttemptView* judged = view.judged();
  return judged ? judged->verdict->reason : "";
}

}  // namespace assay
