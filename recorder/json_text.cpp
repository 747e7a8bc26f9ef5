// The library's writer recurses, so that text of a hostile file could make it overflow the stack;
// its values take many times the memory of their text; and of a key that stands twice it keeps one
// without a word, so that two readers may see two records in one file. All three are looked for
// before it parses.
#include "recorder/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "engine/core/error.h"
#include "engine/core/printable.h"

namespace assay {
namespace {

// Deeper, and more values, than any record has.
constexpr int kDeepest = 100;
constexpr std::size_t kMostValues = 2'000'000;

class Scan {
 public:
  explicit Scan(const std::string& text) : text_(text) {}

  void run() {
    for (std::size_t i = 0; i < text_.size(); ++i) {
      switch (text_[i]) {
        case '\n':
          ++line_;
          break;
        case '"':
          i = take_string(i);
          break;
        case '{':
        case '[':
          open();
          break;
        case '}':
        case ']':
          if (!keys_.empty()) keys_.pop_back();
          break;
        case ',':
          if (++values_ > kMostValues) refuse("more values than any record has");
          break;
        default:
          break;
      }
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(ErrorKind::kCheckFound, fmt::format("{}: {}", line_, what));
  }

  void open() {
    keys_.emplace_back();
    if (keys_.size() > kDeepest) refuse("nested too deeply for a record");
  }

  // From its first quote to its last; the end of the text where there is none.
  std::size_t take_string(std::size_t begin) {
    std::size_t end = begin + 1;
    while (end < text_.size() && text_[end] != '"') end += text_[end] == '\\' ? 2 : 1;
    if (end >= text_.size()) return text_.size();
    const std::size_t next = text_.find_first_not_of(" \t\r\n", end + 1);
    if (next != std::string::npos && text_[next] == ':') {
      take_key(std::string_view(text_).substr(begin, end + 1 - begin));
    }
    return end;
  }

  // `quoted` as it stands in the text: what is written in two ways is one key all the same.
  void take_key(std::string_view quoted) {
    std::string key(quoted.substr(1, quoted.size() - 2));
    if (quoted.find('\\') != std::string_view::npos) {
      const nlohmann::json decoded = nlohmann::json::parse(quoted, nullptr, false);
      if (decoded.is_string()) key = decoded.get<std::string>();
    }
    if (keys_.empty()) return;  // no JSON, which the parser says
    if (!keys_.back().insert(key).second) {
      refuse(fmt::format("\"{}\" stands twice in one object", printable(key)));
    }
  }

  const std::string& text_;
  int line_ = 1;
  std::size_t values_ = 0;
  std::vector<std::set<std::string>> keys_;  // of each object or array that is open
};

}  // namespace

nlohmann::json parse_json_text(const std::string& text) {
  Scan(text).run();
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    const std::size_t end = std::min<std::size_t>(error.byte, text.size());
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(end), '\n');
    throw Error(ErrorKind::kCheckFound,
                fmt::format("{}: not JSON: cut off, edited, or with a merge conflict in it", line));
  }
}

void refuse_unknown_fields(const nlohmann::json& object,
                           std::initializer_list<std::string_view> known, const std::string& text) {
  if (!object.is_object()) return;
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const std::string name = nlohmann::json(key).dump();
    throw Error(ErrorKind::kCheckFound,
                fmt::format("{}: has the field {}, which this program does not know; update the "
                            "program, or take the field out",
                            line_of(text, name + ":"), printable(name)));
  }
}

int line_of(const std::string& text, const std::string& needle) {
  const std::size_t at = text.find(needle);
  if (needle.empty() || at == std::string::npos) return 1;
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
}

}  // namespace assay
