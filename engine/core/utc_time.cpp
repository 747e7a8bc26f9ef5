#include "engine/core/utc_time.h"

#include <fmt/chrono.h>

namespace assay {

std::string utc_text(std::chrono::system_clock::time_point time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(time - seconds).count();
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)), millis);
}

std::string utc_now() {
  return utc_text(std::chrono::system_clock::now());
}

std::optional<std::chrono::system_clock::time_point> utc_time(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00.000Z";
  if (text.size() != kForm.size()) return std::nullopt;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (kForm[i] == '0' ? !digit : text[i] != kForm[i]) return std::nullopt;
  }
  const auto number = [&](std::size_t at, std::size_t size) {
    int value = 0;
    for (const char digit : text.substr(at, size)) value = 10 * value + (digit - '0');
    return value;
  };
  const std::chrono::year_month_day day{std::chrono::year(number(0, 4)),
                                        std::chrono::month(static_cast<unsigned>(number(5, 2))),
                                        std::chrono::day(static_cast<unsigned>(number(8, 2)))};
  const std::chrono::hours hours(number(11, 2));
  const std::chrono::minutes minutes(number(14, 2));
  const std::chrono::seconds seconds(number(17, 2));
  if (!day.ok() || hours.count() >= 24 || minutes.count() >= 60 || seconds.count() >= 60) {
    return std::nullopt;
  }
  return std::chrono::sys_days(day) + hours + minutes + seconds +
         std::chrono::milliseconds(number(20, 3));
}

}  // namespace assay
