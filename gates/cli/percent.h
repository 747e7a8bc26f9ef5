// Fractions as people read them: 0.0132 -> "+1.32 %".
#pragma once

#include <fmt/format.h>

#include <string>

namespace assay {

inline std::string signed_percent(double fraction) {
  return fmt::format("{:+.2f} %", 100 * fraction);
}
// Without a sign, for amounts that have none.
inline std::string plain_percent(double fraction) {
  return fmt::format("{:.2f} %", 100 * fraction);
}

}  // namespace assay
