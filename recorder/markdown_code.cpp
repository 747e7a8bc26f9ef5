#include "recorder/markdown_code.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay {
namespace {

// Three or more of ` or ~ at the start of a line, indented by at most three spaces; "" otherwise.
std::string fence_at(const std::string& line) {
  const std::size_t at = line.find_first_not_of(' ');
  if (at == std::string::npos || at > 3 || (line[at] != '`' && line[at] != '~')) return "";
  const std::size_t end = std::min(line.find_first_not_of(line[at], at), line.size());
  const bool span = line[at] == '`' && line.find('`', end) != std::string::npos;
  return end - at < 3 || span ? "" : line.substr(at, end - at);
}

void mark(std::vector<bool>& code, std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < to; ++i) code[i] = true;
}

void mark_spans(std::vector<bool>& code, const std::string& line, std::size_t offset) {
  std::size_t at = line.find('`');
  while (at != std::string::npos) {
    const std::size_t end = std::min(line.find_first_not_of('`', at), line.size());
    std::size_t close = line.find('`', end);
    while (close != std::string::npos) {  // the next run of exactly this length
      const std::size_t after = std::min(line.find_first_not_of('`', close), line.size());
      if (after - close == end - at) break;
      close = line.find('`', after);
    }
    if (close == std::string::npos) {
      at = line.find('`', end);
      continue;
    }
    mark(code, offset + at, offset + close + (end - at));
    at = line.find('`', close + (end - at));
  }
}

}  // namespace

std::vector<bool> code_in(const std::string& text) {
  std::vector<bool> code(text.size(), false);
  std::string fence;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    const std::string here = fence_at(line);
    if (!fence.empty()) {
      mark(code, at, end);
      const bool closes =
          here.size() >= fence.size() && here[0] == fence[0] &&
          line.find_first_not_of(' ', line.find(here) + here.size()) == std::string::npos;
      if (closes) fence.clear();
    } else if (!here.empty()) {
      fence = here;
      mark(code, at, end);
    } else {
      mark_spans(code, line, at);
    }
    at = end + 1;
  }
  return code;
}

std::string place_of(const std::string& path, const std::string& text, std::size_t at) {
  const auto begin = text.begin();
  const auto here = begin + static_cast<std::ptrdiff_t>(at);
  const auto line = std::count(begin, here, '\n') + 1;
  const std::size_t start = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
  const auto column = std::count_if(begin + static_cast<std::ptrdiff_t>(start), here,
                                    [](char c) { return (c & 0xC0) != 0x80; }) +
                      1;
  return fmt::format("{}:{}:{}", path, line, column);
}

}  // namespace assay
