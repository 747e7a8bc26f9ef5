// Of two JSON texts the first difference is looked for past their layout: a record of an older
// layout in which somebody changed a word differs from its first line on, and the word is the news.
#include "recorder/text_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "engine/core/json_output.h"
#include "recorder/visible_text.h"

namespace assay {
namespace {

// A place in a text: its line and the column in it, both from 0.
struct Place {
  std::size_t line = 0, column = 0;
};

Place place_of(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const std::size_t start = before.rfind('\n');
  return {static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')),
          start == std::string_view::npos ? at : at - start - 1};
}

// The line at this place, or of a long one the part around it.
std::string quoted(std::string_view text, std::size_t at) {
  if (at >= text.size()) return "the end of the file";
  constexpr std::size_t kBefore = 60;
  const std::size_t column = place_of(text, at).column;
  const std::size_t start = at - column;
  const std::string_view line = text.substr(start, text.find('\n', start) - start);
  const bool cut = line.size() > 2 * kBefore && column > kBefore;
  const std::string shown = visible_line(cut ? line.substr(column - kBefore) : line);
  return (cut ? "\"..." : "\"") + cut_to_width(shown, 120) + "\"";
}

// Where each of the two has the first difference.
struct Difference {
  std::size_t written = 0, expected = 0;
};

Difference first_difference(std::string_view written, std::string_view expected) {
  const auto [at, other] =
      std::mismatch(written.begin(), written.end(), expected.begin(), expected.end());
  return {static_cast<std::size_t>(at - written.begin()),
          static_cast<std::size_t>(other - expected.begin())};
}

// A walk over JSON text that passes over white space outside strings.
class Walk {
 public:
  explicit Walk(std::string_view text) : text_(text) { skip_space(); }
  bool ended() const { return at_ >= text_.size(); }
  char now() const { return text_[at_]; }
  std::size_t at() const { return at_; }
  void next() {
    if (escaped_) {
      escaped_ = false;
    } else if (now() == '\\') {
      escaped_ = in_string_;
    } else if (now() == '"') {
      in_string_ = !in_string_;
    }
    ++at_;
    if (!in_string_) skip_space();
  }

 private:
  void skip_space() { at_ = std::min(text_.find_first_not_of(" \n\t\r", at_), text_.size()); }

  std::string_view text_;
  std::size_t at_ = 0;
  bool in_string_ = false, escaped_ = false;
};

Difference first_difference_of_json(std::string_view written, std::string_view expected) {
  Walk have(written), want(expected);
  while (!have.ended() && !want.ended() && have.now() == want.now()) {
    have.next();
    want.next();
  }
  return {have.at(), want.at()};
}

bool same_json(const std::string& one, const std::string& other) {
  const auto parsed = [](const std::string& text) {
    const nlohmann::json value = nlohmann::json::parse(text, nullptr, false);
    return value.is_discarded() ? nlohmann::json(text) : value;
  };
  return json_output(parsed(one)) == json_output(parsed(other));
}

std::string without_line_ends(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

std::string text_difference(const std::string& path, const std::string& written,
                            const std::string& expected) {
  const bool json = path.ends_with(".json");
  Difference at = first_difference(written, expected);
  const auto place = [&] {
    return fmt::format("{}:{}", path, place_of(written, at.written).line + 1);
  };
  if (without_line_ends(written) == without_line_ends(expected)) {
    return fmt::format("{}: differs in its line ends only; `assay index` writes it again", place());
  }
  if (json && same_json(written, expected)) {
    return fmt::format("{}: says the same in another layout; `assay index` writes it again",
                       place());
  }
  if (json) at = first_difference_of_json(written, expected);
  if (json) {
    return fmt::format(
        "{}: is {}, the database says {}; `assay index` writes it from the database, `git checkout "
        "-- {}` restores what was committed",
        place(), quoted(written, at.written), quoted(expected, at.expected), path);
  }
  return fmt::format("{}: is {}, should be {}; `assay index` writes it again", place(),
                     quoted(written, at.written), quoted(expected, at.expected));
}

}  // namespace assay
