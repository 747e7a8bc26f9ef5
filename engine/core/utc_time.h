// The clock of the records: UTC, as text that sorts like time.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace assay {

// "2026-11-29T08:15:30.123Z".
std::string utc_text(std::chrono::system_clock::time_point time);
std::string utc_now();
// Whether this is a time as utc_text writes it, of a day that there is.
bool is_utc_text(std::string_view text);

}  // namespace assay
