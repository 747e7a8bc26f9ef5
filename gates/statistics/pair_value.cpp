#include "gates/statistics/pair_value.h"

#include <fmt/format.h>

#include <cmath>

#include "engine/core/error.h"
#include "engine/core/sha256.h"

namespace assay {
namespace {

constexpr std::string_view kAbbaFirst = "ABBABAAB";
constexpr std::string_view kBaabFirst = "BAABABBA";
constexpr int kBlockSegments = 4;

// mean ln t(A) - mean ln t(B) of one block. Each arm is summed in slot order, so that exchanging
// the arms exchanges the two sums and nothing else.
double block_difference(std::string_view labels, std::span<const std::int64_t> times) {
  double a = 0;
  double b = 0;
  for (int slot = 0; slot < kBlockSegments; ++slot) {
    const double y = std::log(static_cast<double>(times[static_cast<std::size_t>(slot)]));
    (labels[static_cast<std::size_t>(slot)] == 'A' ? a : b) += y;
  }
  return (a - b) / 2;
}

}  // namespace

double pair_value(std::string_view labels, std::span<const std::int64_t> times) {
  if (labels != kAbbaFirst && labels != kBaabFirst) {
    throw Error(ErrorKind::kCheckFound,
                fmt::format("launch pair: labels \"{}\" are neither \"{}\" nor \"{}\"", labels,
                            kAbbaFirst, kBaabFirst));
  }
  if (times.size() != kPairSegments) {
    throw Error(ErrorKind::kCheckFound,
                fmt::format("launch pair: {} segment times, not {}", times.size(), kPairSegments));
  }
  for (std::size_t slot = 0; slot < times.size(); ++slot) {
    if (times[slot] <= 0) {
      throw Error(
          ErrorKind::kCheckFound,
          fmt::format("launch pair: segment {} took {} ns; a time is positive", slot, times[slot]));
    }
  }
  const double first = block_difference(labels.substr(0, 4), times.first(4));
  const double second = block_difference(labels.substr(4), times.last(4));
  return (first + second) / 2;
}

double effect_of(double mean_d) {
  return std::expm1(mean_d);
}

std::string coin_labels(std::string_view experiment, int attempt, std::string_view run,
                        std::string_view stage, int ordinal) {
  const std::string digest =
      sha256_hex(fmt::format("coin\n{}\n{}\n{}\n{}\n{}", experiment, attempt, run, stage, ordinal));
  const char digit = digest.front();
  const int value = digit <= '9' ? digit - '0' : digit - 'a' + 10;
  return std::string(value % 2 == 0 ? kAbbaFirst : kBaabFirst);
}

}  // namespace assay
