// A line of ======= alone underlines a heading in Markdown, so it counts between the others only.
#include "recorder/merge_conflict.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace assay {

std::vector<std::string> conflict_markers(const std::string& path, const std::string& text) {
  std::vector<std::string> lines;
  bool open = false;
  std::size_t number = 1;
  for (std::size_t at = 0; at < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = std::string_view(text).substr(at, end - at);
    at = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    const bool begins = line.starts_with("<<<<<<< ");
    const bool ends = line.starts_with(">>>>>>> ");
    if (!begins && !ends && !(open && line == "=======")) continue;
    open = begins || (open && !ends);
    lines.push_back(fmt::format(
        "{}:{}: is {}, a merge conflict's marker: keep what is right of both sides, remove the "
        "markers, then run `assay index`",
        path, number, line.substr(0, 7)));
  }
  return lines;
}

}  // namespace assay
