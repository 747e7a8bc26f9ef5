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

}  // namespace assay
