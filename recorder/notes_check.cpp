#include "recorder/notes_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/error.h"
#include "engine/core/printable.h"
#include "engine/core/whole_file.h"
#include "recorder/correction.h"
#include "recorder/record_parts.h"

namespace assay {
namespace {

constexpr std::size_t kMostLines = 20;

std::string notes_path(const ExperimentLabel& label) {
  return fmt::format("experiments/notes/{}.md", label.slug);
}

// Of sealed runs, since only these are in the record.
std::vector<RecordValue> values_of(const Store& store, const ExperimentLabel& label) {
  const ExperimentView view = fold(sealed_events(store, label.slug));
  std::optional<Definition> definition;
  try {
    if (!view.proposal.definition.empty()) {
      definition = parse_definition(view.proposal.definition, label.slug + ".yaml");
    }
  } catch (const Error&) {
    // Frozen by a version that knew other keys: its bar and predictions have no names.
  }
  return record_values(view, definition);
}

// Nothing where there are no notes, or what is there cannot be read, which rendering says.
std::string text_of_notes(const std::string& workspace, const std::string& path) {
  try {
    return read_whole_file(workspace + "/" + path, path).value_or("");
  } catch (const Error&) {
    return "";
  }
}

// Words that a correction speaks of are no claim any more: blanks in their place.
std::string without_corrected(std::string text) {
  for (const Correction& correction : corrections_in(text)) {
    for (std::size_t at = text.find(correction.said); at != std::string::npos;
         at = text.find(correction.said, at + correction.said.size())) {
      for (std::size_t i = 0; i < correction.said.size(); ++i) text[at + i] = ' ';
    }
  }
  return text;
}

// By its slug, or its number as records are named.
bool speaks_of(const std::string& text, const ExperimentLabel& other) {
  return text.find(other.slug) != std::string::npos ||
         text.find(fmt::format("{:04}", other.number)) != std::string::npos;
}

void keep_first(std::vector<std::string>& lines, const std::string& path) {
  if (lines.size() <= kMostLines) return;
  const std::size_t more = lines.size() - kMostLines;
  lines.resize(kMostLines);
  lines.push_back(fmt::format("{}: {}{} more of these", path, more,
                              more + kMostLines >= kMostFaults ? " or" : ""));
}

}  // namespace

std::vector<std::string> unknown_names_in(const Store& store, const ExperimentLabel& label,
                                          const std::string& path, const std::string& text) {
  if (text.find("{{") == std::string::npos) return {};
  std::vector<std::string> lines = unknown_names(path, text, label.slug, values_of(store, label));
  keep_first(lines, path);
  return lines;
}

std::vector<std::string> unknown_names_in_notes(const Store& store, const std::string& workspace) {
  std::vector<std::string> lines;
  for (const ExperimentLabel& label : recorded_experiments(store)) {
    const std::string path = notes_path(label);
    for (std::string& line : unknown_names_in(store, label, path, text_of_notes(workspace, path))) {
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

std::vector<std::string> check_notes(const Store& store, const std::string& workspace) {
  std::vector<std::string> lines = unknown_names_in_notes(store, workspace);
  const std::vector<ExperimentLabel> labels = recorded_experiments(store);
  for (const ExperimentLabel& label : labels) {
    const std::string path = notes_path(label);
    const std::string whole = text_of_notes(workspace, path);
    if (const auto at = first_not_utf8(whole)) {
      const auto line = std::count(whole.begin(), whole.begin() + static_cast<long>(*at), '\n') + 1;
      lines.push_back(
          fmt::format("{}:{}: byte {} of the file is not UTF-8: no archive takes it; write it anew",
                      path, line, *at));
    }
    const std::string text = without_corrected(text_of_notes(workspace, path));
    if (text.find_first_of("0123456789") == std::string::npos) continue;
    const std::vector<RecordValue> values = values_of(store, label);
    if (typed_numbers(path, text, values, {}).empty()) continue;
    std::vector<RecordValue> cited;
    for (const ExperimentLabel& other : labels) {
      if (other.slug == label.slug || !speaks_of(text, other)) continue;
      for (RecordValue& value : values_of(store, other)) cited.push_back(std::move(value));
    }
    std::vector<std::string> found = typed_numbers(path, text, values, cited);
    keep_first(found, path);
    lines.insert(lines.end(), found.begin(), found.end());
  }
  return lines;
}

}  // namespace assay
