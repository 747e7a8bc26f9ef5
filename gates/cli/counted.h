// "1 run", "2 runs", in what commands say.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>

namespace assay {

inline std::string counted(std::size_t count, const std::string& what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace assay
