// Numbers that an author typed, against the values of the record; the rule stands in
// record_values.h. A tenth is wide enough for a number of an earlier run and for digits that
// changed places behind the first one; numbers of another order are somebody else's.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <string_view>

#include "recorder/markdown_code.h"
#include "recorder/record_values.h"

namespace assay {
namespace {

constexpr double kClose = 0.1;  // of the result
constexpr std::array<std::string_view, 4> kUnits{"%", "ms", "tok/s", "pairs"};
constexpr std::array<std::string_view, 18> kRough{
    "about", "around",        "roughly", "nearly", "almost", "some",
    "circa", "approximately", "below",   "above",  "under",  "over",
    "least", "most",          "than",    "beyond", "~",      "\u2248"};

constexpr std::size_t kLongestRough = 20;  // bytes; no text, however long its words, takes long

struct Typed {
  std::size_t at = 0;
  double value = 0;
  int decimals = 0;
  bool has_sign = false;
  std::string text;
  std::string_view unit;
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// The unit behind `end`, with at most one space before it; "" for none.
std::string_view unit_behind(const std::string& text, std::size_t end) {
  std::string_view rest = std::string_view(text).substr(end);
  constexpr std::string_view kNoBreak = "\u00a0";
  if (rest.starts_with(' ')) {
    rest.remove_prefix(1);
  } else if (rest.starts_with(kNoBreak)) {
    rest.remove_prefix(kNoBreak.size());
  }
  for (const std::string_view unit : kUnits) {
    const bool whole = rest.size() <= unit.size() || !is_word(rest[unit.size()]);
    if (rest.starts_with(unit) && (unit == "%" || whole)) return unit;
  }
  return "";
}

// -1, 1, or 0 for no sign; `at` is the number's first digit.
int sign_before(const std::string& text, std::size_t at) {
  constexpr std::string_view kMinus = "\u2212";
  const std::string_view before = std::string_view(text).substr(0, at);
  if (before.ends_with(kMinus)) return -1;
  if (before.ends_with('+')) return 1;
  // A hyphen inside a word, or between two numbers, is none.
  const bool alone = before.size() < 2 || before[before.size() - 2] == ' ' ||
                     before[before.size() - 2] == '(' || before[before.size() - 2] == '\n';
  return before.ends_with('-') && alone ? -1 : 0;
}

bool is_rough(const std::string& text, std::size_t at) {
  std::size_t end = at;
  while (end > 0 && (text[end - 1] == ' ' || text[end - 1] == '+' || text[end - 1] == '-')) --end;
  std::size_t start = end;
  while (start > 0 && end - start < kLongestRough && text[start - 1] != ' ' &&
         text[start - 1] != '\n' && text[start - 1] != '(') {
    --start;
  }
  std::string word = text.substr(start, end - start);
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::find(kRough.begin(), kRough.end(), word) != kRough.end();
}

std::vector<Typed> numbers_in(const std::string& text) {
  std::vector<Typed> found;
  const std::vector<bool> code = code_in(text);
  for (std::size_t at = 0; at < text.size();) {
    const char before = at > 0 ? text[at - 1] : ' ';
    if (!is_digit(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_digit(text[end])) ++end;
    int decimals = 0;
    if (end + 1 < text.size() && text[end] == '.' && is_digit(text[end + 1])) {
      const std::size_t point = end++;
      while (end < text.size() && is_digit(text[end])) ++end;
      decimals = static_cast<int>(end - point - 1);
    }
    const std::string_view unit = unit_behind(text, end);
    const bool own =
        !is_word(before) && before != '.' && before != ',' && before != '/' && !code[at];
    if (own && !unit.empty() && end - at <= 20 && !is_rough(text, at)) {
      Typed typed{at, 0, decimals, false, text.substr(at, end - at), unit};
      std::from_chars(text.data() + at, text.data() + end, typed.value);
      const int sign = sign_before(text, at);
      typed.has_sign = sign != 0;
      if (sign < 0) typed.value = -typed.value;
      found.push_back(std::move(typed));
    }
    at = end;
  }
  return found;
}

double distance(const Typed& typed, double value) {
  return typed.has_sign ? std::fabs(typed.value - value)
                        : std::fabs(typed.value - std::fabs(value));
}

bool is_right(const Typed& typed, const std::vector<RecordValue>& values) {
  const double half = 0.5 * std::pow(10.0, -typed.decimals) * (1 + 1e-6);
  return std::any_of(values.begin(), values.end(), [&](const RecordValue& value) {
    return value.number && value.unit == typed.unit && distance(typed, *value.number) <= half;
  });
}

// The nearest result within reach; null when there is none.
const RecordValue* close_to(const Typed& typed, const std::vector<RecordValue>& values) {
  const RecordValue* nearest = nullptr;
  for (const RecordValue& value : values) {
    if (!value.result || !value.number || value.unit != typed.unit) continue;
    const double apart = distance(typed, *value.number);
    if (apart > kClose * std::fabs(*value.number)) continue;
    const double nearest_apart = nearest == nullptr ? apart : distance(typed, *nearest->number);
    const bool shorter = nearest != nullptr && value.name.size() < nearest->name.size();
    if (nearest == nullptr || apart < nearest_apart || (apart == nearest_apart && shorter)) {
      nearest = &value;
    }
  }
  return nearest;
}

}  // namespace

std::vector<std::string> typed_numbers(const std::string& path, const std::string& text,
                                       const std::vector<RecordValue>& values,
                                       const std::vector<RecordValue>& cited) {
  std::vector<std::string> lines;
  for (const Typed& typed : numbers_in(text)) {
    if (lines.size() >= kMostFaults) break;
    if (is_right(typed, values)) continue;
    const RecordValue* near = close_to(typed, values);
    if (near == nullptr || is_right(typed, cited)) continue;
    lines.push_back(
        fmt::format("{}: {} {} was typed by hand, and {} is {}: write {{{{{}}}}}, or the "
                    "number that is meant in other words",
                    place_of(path, text, typed.at), typed.text, typed.unit, near->name, near->text,
                    near->name));
  }
  return lines;
}

}  // namespace assay
