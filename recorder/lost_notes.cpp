// No event says that notes were written, since they are the author's file; but rendering copied
// them into the record. Looked for under Lessons only, where `assay note` writes.
#include "recorder/lost_notes.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <string_view>

#include "engine/core/error.h"
#include "engine/core/whole_file.h"
#include "recorder/document_rendering.h"

namespace assay {
namespace {

// Paragraphs that document_lessons.cpp and the footer write without notes.
constexpr std::array<std::string_view, 6> kWithoutNotes{
    "**Confirmed effect:**",
    "**Lessons owed:**",
    "The author has written no lessons.",
    "**Retry condition, as declared before the run:**",
    "[Index](../index.md)",
    "\u2190 ["};

bool is_without_notes(std::string_view line) {
  return std::any_of(kWithoutNotes.begin(), kWithoutNotes.end(),
                     [&](std::string_view start) { return line.starts_with(start); });
}

}  // namespace

bool shows_notes(const std::string& document) {
  constexpr std::string_view kHeading = "\n## 6. Lessons\n";
  const std::size_t section = document.rfind(kHeading);
  if (section == std::string::npos) return false;
  std::string_view rest = std::string_view(document).substr(section + kHeading.size());
  // A paragraph without notes may have several lines; the next begins after an empty one.
  bool passed = false;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.empty()) {
      passed = false;
    } else if (!passed) {
      passed = is_without_notes(line);
      if (!passed) return true;
    }
  }
  return false;
}

std::string lost_notes(const std::string& workspace, const ExperimentLabel& label) {
  const std::string notes = fmt::format("experiments/notes/{}.md", label.slug);
  struct stat status {};
  // What cannot be looked at is not gone; who reads it says so.
  if (::lstat((workspace + "/" + notes).c_str(), &status) == 0 || errno != ENOENT) return "";
  const std::string path = record_path(label, "md");
  try {
    const std::optional<std::string> document = read_whole_file(workspace + "/" + path, path);
    if (!document || !shows_notes(*document)) return "";
  } catch (const Error&) {
    return "";  // what is wrong with the record is told by itself
  }
  return fmt::format(
      "{0}:1: is gone, and {1} still shows what it said; restore it (git checkout -- {0}), or "
      "`assay index` takes its text out of the record",
      notes, path);
}

}  // namespace assay
