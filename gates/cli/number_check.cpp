#include "gates/cli/number_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>

#include "engine/core/error.h"

namespace assay {
namespace {

template <typename Number>
std::optional<Number> number_from(const std::string& text) {
  // from_chars alone would also take "inf", and of "1e5" the 1 for a whole number.
  constexpr bool whole = std::is_integral_v<Number>;
  constexpr const char* kAllowed = whole ? "0123456789-" : "0123456789.-+eE";
  if (text.find_first_not_of(kAllowed) != std::string::npos) return std::nullopt;
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stopped, fault] = std::from_chars(text.data(), end, number);
  if (fault != std::errc() || stopped != end) return std::nullopt;
  return number;
}

}  // namespace

CLI::Validator whole_number(int low, int high) {
  const auto check = [low, high](std::string& text) -> std::string {
    const std::optional<long long> number = number_from<long long>(text);
    if (number && *number >= low && *number <= high) {
      text = std::to_string(*number);
      return "";
    }
    return fmt::format("`{}` is not a whole number from {} to {}", text, low, high);
  };
  return CLI::Validator(check, fmt::format("{} to {}", low, high));
}

CLI::Validator number_within(double low, double most) {
  const auto check = [low, most](std::string& text) -> std::string {
    const std::optional<double> number = number_from<double>(text);
    if (number && *number >= low && *number <= most) return "";
    return fmt::format("`{}` is not a number from {} to {}", text, low, most);
  };
  return CLI::Validator(check, fmt::format("{} to {}", low, most));
}

CLI::Validator number_from_zero(double most) {
  return number_within(0, most);
}

CLI::Validator positive_number(double most) {
  const auto check = [most](std::string& text) -> std::string {
    const std::optional<double> number = number_from<double>(text);
    if (number && *number > 0 && *number <= most) return "";
    return fmt::format("`{}` is not a number above 0, at most {}", text, most);
  };
  return CLI::Validator(check, fmt::format("above 0, at most {}", most));
}

std::vector<std::int32_t> read_number_list(const std::string& flag, const std::string& text) {
  std::vector<std::int32_t> numbers;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string entry = text.substr(begin, end - begin);
    const std::optional<std::int32_t> number = number_from<std::int32_t>(entry);
    if (!number || *number < 0) {
      throw Error(
          ErrorKind::kUsage,
          fmt::format("{}: entry {} is {}; write whole numbers from 0 to {}, with commas between "
                      "them: 1,2,3",
                      flag, numbers.size() + 1, entry.empty() ? "empty" : "`" + entry + "`",
                      std::numeric_limits<std::int32_t>::max()));
    }
    numbers.push_back(*number);
    begin = end + 1;
  }
  return numbers;
}

}  // namespace assay
