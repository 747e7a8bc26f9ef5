#include "gates/statistics/exact_tests.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

namespace assay {
namespace {

constexpr std::size_t kCountedValues = 24;
constexpr double kRoundingSteps = 65536;
// Sums that differ by less than this share of the total are the same sum, added in another order.
constexpr double kSameSum = 1e-12;

// All 2^m signed sums of the magnitudes, ascending.
std::vector<double> signed_sums(std::span<const double> magnitudes) {
  std::vector<double> sums = {0.0};
  for (const double magnitude : magnitudes) {
    const std::size_t count = sums.size();
    sums.resize(2 * count);
    for (std::size_t i = 0; i < count; ++i) {
      sums[count + i] = sums[i] + magnitude;
      sums[i] -= magnitude;
    }
  }
  std::sort(sums.begin(), sums.end());
  return sums;
}

double counted_sign_flip(std::span<const double> magnitudes, double threshold) {
  const std::vector<double> left = signed_sums(magnitudes.first(magnitudes.size() / 2));
  const std::vector<double> right = signed_sums(magnitudes.subspan(magnitudes.size() / 2));
  std::uint64_t reaching = 0;
  std::size_t from = right.size();  // right[from..] reach the threshold together with left[i]
  for (const double sum : left) {
    while (from > 0 && sum + right[from - 1] >= threshold) --from;
    reaching += right.size() - from;
  }
  return static_cast<double>(reaching) / std::exp2(static_cast<double>(magnitudes.size()));
}

// P(sum of a random subset of `weights` >= observed), every subset equally likely.
double subset_sum_tail(std::span<const std::int64_t> weights, std::int64_t observed) {
  const std::int64_t total = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
  std::vector<double> probability(static_cast<std::size_t>(total) + 1, 0.0);
  probability[0] = 1;
  for (const std::int64_t weight : weights) {
    for (std::int64_t sum = total; sum >= 0; --sum) {
      const auto at = static_cast<std::size_t>(sum);
      const double with = sum >= weight ? probability[static_cast<std::size_t>(sum - weight)] : 0.0;
      probability[at] = 0.5 * (probability[at] + with);
    }
  }
  double tail = 0;
  for (std::int64_t sum = total; sum >= observed && sum >= 0; --sum) {
    tail += probability[static_cast<std::size_t>(sum)];
  }
  return std::min(1.0, tail);
}

}  // namespace

double sign_flip_p(std::span<const double> values) {
  std::vector<double> magnitudes;
  for (const double value : values) magnitudes.push_back(std::abs(value));
  const double total = std::accumulate(magnitudes.begin(), magnitudes.end(), 0.0);
  if (total == 0) return 1;
  if (values.size() <= kCountedValues) {
    const double observed = std::accumulate(values.begin(), values.end(), 0.0);
    return counted_sign_flip(magnitudes, observed - kSameSum * total);
  }
  std::vector<std::int64_t> weights;
  std::int64_t positive = 0;
  for (const double value : values) {
    weights.push_back(std::llround(std::abs(value) / total * kRoundingSteps));
    if (value > 0) positive += weights.back();
  }
  return subset_sum_tail(weights, positive);
}

double signed_rank_p(std::span<const double> values) {
  std::vector<double> sorted;
  for (const double value : values) {
    if (value != 0) sorted.push_back(value);
  }
  std::sort(sorted.begin(), sorted.end(),
            [](double a, double b) { return std::abs(a) < std::abs(b); });
  std::vector<std::int64_t> doubled_ranks(sorted.size());  // 2 x rank, so that mean ranks are whole
  std::int64_t positive = 0;
  for (std::size_t begin = 0; begin < sorted.size();) {
    std::size_t end = begin;
    while (end < sorted.size() && std::abs(sorted[end]) == std::abs(sorted[begin])) ++end;
    for (std::size_t i = begin; i < end; ++i) {
      doubled_ranks[i] = static_cast<std::int64_t>(begin + 1 + end);
      if (sorted[i] > 0) positive += doubled_ranks[i];
    }
    begin = end;
  }
  return subset_sum_tail(doubled_ranks, positive);
}

}  // namespace assay
