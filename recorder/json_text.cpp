// The library's writer recurses, so that text of a hostile file could make it overflow the stack;
// such text is refused before it is parsed.
#include "recorder/json_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/error.h"

namespace assay {
namespace {

// Deeper than any record is.
constexpr int kDeepest = 100;

void refuse_deep_nesting(const std::string& text) {
  int depth = 0, line = 1;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    line += c == '\n' ? 1 : 0;
    if (quoted && c == '\\') ++i;
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (depth > kDeepest) {
      throw Error(ErrorKind::kCheckFound, fmt::format("{}: nested too deeply for a record", line));
    }
  }
}

}  // namespace

nlohmann::json parse_json_text(const std::string& text) {
  refuse_deep_nesting(text);
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    const std::size_t end = std::min<std::size_t>(error.byte, text.size());
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(end), '\n');
    throw Error(ErrorKind::kCheckFound,
                fmt::format("{}: not JSON: cut off, edited, or with a merge conflict in it", line));
  }
}

int line_of(const std::string& text, const std::string& needle) {
  const std::size_t at = text.find(needle);
  if (needle.empty() || at == std::string::npos) return 1;
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
}

}  // namespace assay
