// The clock of the records: UTC, as text that sorts like time.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace assay {

// "2026-11-29T08:15:30.123Z".
std::string utc_text(std::chrono::system_clock::time_point time);
std::string utc_now();
// utc_text's inverse; nothing for a text of another form, or of a day that there is not.
std::optional<std::chrono::system_clock::time_point> utc_time(std::string_view text);

}  // namespace assay
