#include "recorder/notes_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <utility>

#include "engine/core/error.h"
#include "engine/core/printable.h"
#include "engine/core/whole_file.h"
#include "recorder/correction.h"
#include "recorder/in_parallel.h"
#include "recorder/lost_notes.h"
#include "recorder/merge_conflict.h"
#include "recorder/record_parts.h"
#include "recorder/record_values.h"

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

void add_to(std::vector<std::string>& lines, std::vector<std::string> more) {
  lines.insert(lines.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
}

void keep_first(std::vector<std::string>& lines, const std::string& path) {
  if (lines.size() <= kMostLines) return;
  const std::size_t more = lines.size() - kMostLines;
  lines.resize(kMostLines);
  lines.push_back(fmt::format("{}: {}{} more of these; mend the first, and ask again", path, more,
                              more + kMostLines >= kMostFaults ? " or" : ""));
}

}  // namespace

std::vector<std::string> unfit_in(const Store& store, const ExperimentLabel& label,
                                  const std::string& path, const std::string& text) {
  std::vector<std::string> lines = conflict_markers(path, text);
  if (text.find("{{") != std::string::npos) {
    add_to(lines, unknown_names(path, text, label.slug, values_of(store, label)));
  }
  keep_first(lines, path);
  return lines;
}

namespace {

// What `look` finds of each experiment, in order.
std::vector<std::string> of_each(
    const std::vector<ExperimentLabel>& labels,
    const std::function<std::vector<std::string>(const ExperimentLabel&)>& look) {
  std::vector<std::vector<std::string>> found(labels.size());
  in_parallel(labels.size(), [&](std::size_t i) { found[i] = look(labels[i]); });
  std::vector<std::string> lines;
  for (std::vector<std::string>& of : found) add_to(lines, std::move(of));
  return lines;
}

std::vector<std::string> wrong_numbers_in(const Store& store, const std::string& path,
                                          const std::string& whole,
                                          const std::vector<ExperimentLabel>& labels,
                                          const ExperimentLabel& label) {
  const std::string text = without_corrected(whole);
  if (text.find_first_of("0123456789") == std::string::npos) return {};
  const std::vector<RecordValue> values = values_of(store, label);
  if (typed_numbers(path, text, values, {}).empty()) return {};
  std::vector<RecordValue> cited;
  for (const ExperimentLabel& other : labels) {
    if (other.slug == label.slug || !speaks_of(text, other)) continue;
    for (RecordValue& value : values_of(store, other)) cited.push_back(std::move(value));
  }
  std::vector<std::string> found = typed_numbers(path, text, values, cited);
  keep_first(found, path);
  return found;
}

std::vector<std::string> not_utf8_in(const std::string& path, const std::string& whole) {
  const auto at = first_not_utf8(whole);
  if (!at) return {};
  const auto line = std::count(whole.begin(), whole.begin() + static_cast<long>(*at), '\n') + 1;
  return {fmt::format("{}:{}: byte {} of the file is not UTF-8: no archive takes it; write it anew",
                      path, line, *at)};
}

}  // namespace

std::vector<std::string> unfit_in_notes(const Store& store, const std::string& workspace) {
  return of_each(recorded_experiments(store), [&](const ExperimentLabel& label) {
    const std::string path = notes_path(label);
    return unfit_in(store, label, path, text_of_notes(workspace, path));
  });
}

namespace {

// Files among the notes that speak of no experiment; README.md may be there.
std::vector<std::string> notes_of_nobody(const Store& store, const std::string& workspace) {
  std::vector<std::string> lines;
  std::error_code error;
  std::filesystem::directory_iterator entry(workspace + "/experiments/notes", error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::filesystem::path name = entry->path().filename();
    const std::string slug = name.stem().string();
    const auto known = store.find(slug);
    if (name.extension() != ".md" || name == "README.md" || (known && known->slug == slug))
      continue;
    lines.push_back(
        fmt::format("experiments/notes/{}:1: belongs to no experiment of the history: nothing "
                    "shows it; give it "
                    "the name of one, or move it away",
                    printable(name.string())));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace

std::vector<std::string> check_notes(const Store& store, const std::string& workspace) {
  const std::vector<ExperimentLabel> labels = recorded_experiments(store);
  std::vector<std::string> lines = of_each(labels, [&](const ExperimentLabel& label) {
    const std::string path = notes_path(label);
    const std::string text = text_of_notes(workspace, path);
    std::vector<std::string> of = unfit_in(store, label, path, text);
    add_to(of, not_utf8_in(path, text));
    add_to(of, wrong_numbers_in(store, path, text, labels, label));
    if (const std::string lost = lost_notes(workspace, label); !lost.empty()) of.push_back(lost);
    return of;
  });
  add_to(lines, notes_of_nobody(store, workspace));
  return lines;
}

}  // namespace assay
