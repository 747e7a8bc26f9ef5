#include "experiments/yaml_map.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <type_traits>

#include "experiments/caret.h"
#include "experiments/nearest_name.h"

namespace assay {
namespace {

// The whole of `text` as a number; nothing when it is anything else.
template <typename Number>
std::optional<Number> number_from(std::string_view text) {
  // from_chars alone would also take "inf".
  const std::string_view allowed = std::is_integral_v<Number> ? "0123456789-" : "0123456789.-+eE";
  const bool plain = !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos;
  if (!plain) return std::nullopt;
  Number number{};
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// A number, a word: text whose form is checked next. `form` says what it should have been.
void require_scalar(const YamlSource& source, const YamlValue& value, std::string_view name,
                    std::string_view form) {
  if (value.kind == YamlValue::Kind::kText) return;
  source.fail(value, fmt::format("`{}` must be {}, not {}", name, form, kind_name(value.kind)));
}

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

void refuse_duplicates(const YamlSource& source, const YamlValue& map) {
  std::map<std::string_view, int> first_lines;
  for (const auto& [name, unused] : map.entries) {
    const auto [first, fresh] = first_lines.emplace(name.text, name.line);
    if (fresh) continue;
    source.fail(name, fmt::format("{} stands twice; the first is on line {}", shown(name.text),
                                  first->second + 1));
  }
}

void require_kind(const YamlSource& source, const YamlValue& value, YamlValue::Kind kind,
                  std::string_view name) {
  if (value.kind == kind) return;
  source.fail(value,
              fmt::format("`{}` must be {}, not {}", name, kind_name(kind), kind_name(value.kind)));
}

YamlMap::YamlMap(const YamlSource& source, const YamlValue& value, std::string_view what,
                 std::span<const std::string_view> keys)
    : source_(source), value_(value), what_(what) {
  if (value.kind != YamlValue::Kind::kMap) {
    source.fail(
        value, fmt::format("{} must be a map (`key: value`), not {}", what, kind_name(value.kind)));
  }
  for (const auto& [name, unused] : value.entries) {
    if (std::find(keys.begin(), keys.end(), name.text) != keys.end()) continue;
    const std::string listed = fmt::format("the keys of {} are {}", what, fmt::join(keys, ", "));
    source.fail(name, fmt::format("unknown key {}{}", shown(name.text),
                                  suggestion(name.text, keys, listed)));
  }
  refuse_duplicates(source, value);
}

const YamlValue* YamlMap::find(std::string_view key) const {
  for (const auto& [name, value] : value_.entries) {
    if (name.text == key) return value.kind == YamlValue::Kind::kNull ? nullptr : &value;
  }
  return nullptr;
}

const YamlValue& YamlMap::need(std::string_view key) const {
  if (const YamlValue* value = find(key)) return *value;
  const YamlValue& at = this->key(key);
  if (&at != &value_) source_.fail(at, fmt::format("`{}` has no value", key));
  source_.fail(at, fmt::format("{} needs the key `{}`", what_, key));
}

const YamlValue& YamlMap::key(std::string_view key) const {
  for (const auto& [name, value] : value_.entries) {
    if (name.text == key) return name;
  }
  return value_;
}

std::string read_text(const YamlSource& source, const YamlValue& value, std::string_view name) {
  require_kind(source, value, YamlValue::Kind::kText, name);
  const std::size_t first = value.text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) source.fail(value, fmt::format("`{}` is blank", name));
  return value.text.substr(first, value.text.find_last_not_of(" \t\r\n") - first + 1);
}

std::string read_line(const YamlSource& source, const YamlValue& value, std::string_view name,
                      std::size_t longest) {
  std::string text = read_text(source, value, name);
  if (text.find('\n') != std::string::npos) {
    source.fail(value, fmt::format("`{}` must be one line", name));
  }
  if (text.size() > longest) {
    source.fail(value, fmt::format("`{}` has {} bytes; at most {} fit where it is shown", name,
                                   text.size(), longest));
  }
  return text;
}

std::string read_choice(const YamlSource& source, const YamlValue& value, std::string_view name,
                        std::span<const std::string_view> choices) {
  require_scalar(source, value, name, "one word");
  if (std::find(choices.begin(), choices.end(), value.text) == choices.end()) {
    source.fail(value, fmt::format("`{}` is {}; it can be {}", name, shown(value.text),
                                   fmt::join(choices, ", ")));
  }
  return value.text;
}

int read_whole(const YamlSource& source, const YamlValue& value, std::string_view name, int low,
               int high) {
  require_scalar(source, value, name, "a whole number");
  if (value.quoted) {
    source.fail(value, fmt::format("`{}` must be a whole number: take off the quotes", name));
  }
  const std::optional<long long> number = number_from<long long>(value.text);
  if (!number) {
    source.fail(value, fmt::format("`{}` must be a whole number, not {}", name, shown(value.text)));
  }
  if (*number < low || *number > high) {
    source.fail(value, fmt::format("`{}` is {}; it can be {} to {}", name, *number, low, high));
  }
  return static_cast<int>(*number);
}

double read_fraction(const YamlSource& source, const YamlValue& value, std::string_view name) {
  require_scalar(source, value, name, "a percentage such as 1.5%");
  std::string_view digits = value.text;
  const bool percent = digits.ends_with('%');
  if (percent) digits.remove_suffix(1);
  while (!digits.empty() && digits.back() == ' ') digits.remove_suffix(1);
  const std::optional<double> number = number_from<double>(digits);
  if (!number) {
    source.fail(value, fmt::format("`{}` must be a percentage such as 1.5%, not {}", name,
                                   shown(value.text)));
  }
  // Divided, not multiplied by 0.01, so that 15% is the double nearest to 0.15.
  const double fraction = percent ? *number / 100 : *number;
  if (fraction < 0) {
    source.fail(value,
                fmt::format("`{}` is negative; positive is faster, and 0% is the least", name));
  }
  if (fraction > 1) {
    const std::string hint = percent ? "" : fmt::format("; write {}% if that is meant", digits);
    source.fail(value, fmt::format("`{}` is more than 100 %{}", name, hint));
  }
  return fraction;
}

WholeRange read_range(const YamlSource& source, const YamlValue& value, std::string_view name) {
  require_scalar(source, value, name, "a range such as 1..1920");
  const std::string_view text = value.text;
  const std::size_t dots = text.find("..");
  const std::string_view low_text = text.substr(0, dots);
  const std::string_view high_text =
      dots == std::string_view::npos ? std::string_view() : text.substr(dots + 2);
  const bool formed = dots != std::string_view::npos && (low_text.empty() || is_digits(low_text)) &&
                      (high_text.empty() || is_digits(high_text)) &&
                      !(low_text.empty() && high_text.empty());
  if (!formed) {
    source.fail(value, fmt::format("`{}` is {}; a range is written 1..1920, 1921.. or ..1920", name,
                                   shown(text)));
  }
  constexpr int kEnd = std::numeric_limits<int>::max();
  const std::optional<int> low = low_text.empty() ? 1 : number_from<int>(low_text);
  const std::optional<int> high = high_text.empty() ? kEnd : number_from<int>(high_text);
  if (!low || !high) source.fail(value, fmt::format("`{}` is beyond {}", name, kEnd));
  if (*low < 1) source.fail(value, fmt::format("`{}` starts at 0; the least is 1", name));
  if (*low > *high) {
    source.fail(value, fmt::format("`{}` is empty: {} is more than {}", name, *low, *high));
  }
  return {*low, *high};
}

}  // namespace assay
