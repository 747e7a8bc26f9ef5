#include "recorder/json_layout.h"

#include <algorithm>

namespace assay {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

// Behind the closing quote of the string that opens at `at`; npos when there is none.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  while (true) {
    at = text.find_first_of("\"\\", at + 1);
    if (at == std::string_view::npos) return at;
    if (text[at] == '"') return at + 1;
    ++at;  // what is escaped
  }
}

}  // namespace

bool is_laid_out(std::string_view compact) {
  std::string open;
  for (std::size_t i = 0; i < compact.size();) {
    const char c = compact[i];
    if (open.empty() && i > 0) return false;
    if (c == '"') {
      if (open.empty()) return false;
      i = end_of_string(compact, i);
      if (i == std::string_view::npos) return false;
      continue;
    }
    if (c == '{' || c == '[') open += c;
    if (c == '}' || c == ']') {
      if (open.empty() || open.back() != (c == '}' ? '{' : '[')) return false;
      open.pop_back();
    }
    if (open.empty() && i + 1 < compact.size()) return false;
    ++i;
  }
  return !compact.empty() && open.empty();
}

std::string laid_out(std::string_view compact) {
  std::string out;
  out.reserve(compact.size() + compact.size() / 2);
  std::size_t depth = 0;
  const auto new_line = [&] {
    out += '\n';
    out.append(2 * depth, ' ');
  };
  for (std::size_t i = 0; i < compact.size();) {
    const char c = compact[i];
    switch (c) {
      case '"': {
        const std::size_t end = std::min(end_of_string(compact, i), compact.size());
        out.append(compact.substr(i, end - i));
        i = end;
        continue;
      }
      case '{':
      case '[': {
        std::size_t next = i + 1;
        while (next < compact.size() && is_space(compact[next])) ++next;
        out += c;
        if (next < compact.size() && compact[next] == (c == '{' ? '}' : ']')) {
          out += compact[next];
          i = next + 1;
          continue;
        }
        ++depth;
        new_line();
        break;
      }
      case '}':
      case ']':
        depth -= depth > 0 ? 1 : 0;
        new_line();
        out += c;
        break;
      case ',':
        out += c;
        new_line();
        break;
      case ':':
        out += ": ";
        break;
      default:
        if (!is_space(c)) out += c;
    }
    ++i;
  }
  return out;
}

}  // namespace assay
