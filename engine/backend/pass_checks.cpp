#include "engine/backend/pass_checks.h"

#include <fmt/format.h>

#include "engine/core/error.h"

namespace assay {

void check_pass(const PassLimits& limits, std::span<const std::int32_t> tokens, int first) {
  const int t = static_cast<int>(tokens.size());
  if (t < 1 || t > limits.max_rows || first < 0 || first + t > limits.context) {
    throw Error(ErrorKind::kInternal,
                fmt::format("{}: {} tokens at position {} exceed {} rows or {} positions",
                            limits.name, t, first, limits.max_rows, limits.context));
  }
  for (const std::int32_t token : tokens) {
    if (token >= 0 && token < limits.vocab) continue;
    throw Error(ErrorKind::kInternal,
                fmt::format("{}: token {} is outside 0..{}", limits.name, token, limits.vocab - 1));
  }
}

void check_row(const PassLimits& limits, int row, int t) {
  if (row >= 0 && row < t) return;
  throw Error(ErrorKind::kInternal,
              fmt::format("{}: row {} of a pass of {} rows", limits.name, row, t));
}

void check_top(const PassLimits& limits, const TopLogits& top) {
  if (top.index >= 0 && top.index < limits.vocab) return;
  throw Error(ErrorKind::kInternal, fmt::format("argmax gave {}, which is no token (0..{})",
                                                top.index, limits.vocab - 1));
}

}  // namespace assay
