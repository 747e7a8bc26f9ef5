#include "gates/cli/notes.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/utc_time.h"

namespace assay {
namespace {

// Where the line `heading` starts; npos when there is none.
std::size_t find_line(const std::string& text, const std::string& line, std::size_t from) {
  for (std::size_t at = text.find(line, from); at != std::string::npos;
       at = text.find(line, at + 1)) {
    const std::size_t end = at + line.size();
    const bool starts = at == 0 || text[at - 1] == '\n';
    const bool ends = end == text.size() || text[end] == '\n' || text[end] == '\r';
    if (starts && ends) return at;
  }
  return std::string::npos;
}

}  // namespace

std::string empty_notes(const std::string& slug) {
  return fmt::format(
      "# Notes on {}\n\n## Lessons\n\n## Veto mechanism\n\n## Retry condition\n\n## Corrections\n",
      slug);
}

std::string with_note(const std::string& notes, const std::string& section,
                      const std::string& paragraph) {
  const std::string heading = "## " + section;
  const std::size_t at = find_line(notes, heading, 0);
  if (at == std::string::npos) {
    const std::string gap = notes.empty() || notes.ends_with("\n\n") ? ""
                            : notes.ends_with('\n')                  ? "\n"
                                                                     : "\n\n";
    return notes + gap + heading + "\n\n" + paragraph + "\n";
  }
  // The section ends before the next heading of its own or a higher level, or with the file.
  std::size_t next = notes.find("\n## ", at);
  next = std::min(next, notes.find("\n# ", at));
  const std::size_t end = next == std::string::npos ? notes.size() : next;
  std::string before = notes.substr(0, end);
  while (before.ends_with('\n')) before.pop_back();
  const std::string after = next == std::string::npos ? std::string() : notes.substr(next);
  return before + "\n\n" + paragraph + "\n" + after;
}

std::string today() {
  return utc_now().substr(0, 10);
}

}  // namespace assay
