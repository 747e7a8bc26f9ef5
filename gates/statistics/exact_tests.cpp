#include "gates/statistics/exact_tests.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numeric>

namespace assay {
namespace {

constexpr std::size_t kCountedPairs = 24;
constexpr double kRoundingSteps = 65536;
// Sums that differ by less than this share of the total are the same sum, added in another order.
constexpr double kSameSum = 1e-12;

// What each pair may say, all choices equally likely; [0] is what it said.
template <std::size_t kChoices>
using Rows = std::span<const std::array<double, kChoices>>;

// All sums of one choice per row, ascending.
template <std::size_t kChoices>
std::vector<double> sorted_sums(Rows<kChoices> rows) {
  std::vector<double> sums = {0.0};
  for (const auto& row : rows) {
    std::vector<double> grown;
    for (const double choice : row) {
      std::vector<double> moved(sums);
      for (double& sum : moved) sum += choice;
      std::vector<double> merged;
      merged.reserve(grown.size() + moved.size());
      std::merge(grown.begin(), grown.end(), moved.begin(), moved.end(),
                 std::back_inserter(merged));
      grown = std::move(merged);
    }
    sums = std::move(grown);
  }
  return sums;
}

template <std::size_t kChoices>
double counted_tail(Rows<kChoices> rows, double threshold) {
  const std::vector<double> left = sorted_sums<kChoices>(rows.first(rows.size() / 2));
  const std::vector<double> right = sorted_sums<kChoices>(rows.subspan(rows.size() / 2));
  std::uint64_t reaching = 0;
  std::size_t from = right.size();  // right[from..] reach the threshold together with left[i]
  for (const double sum : left) {
    while (from > 0 && sum + right[from - 1] >= threshold) --from;
    reaching += right.size() - from;
  }
  return static_cast<double>(reaching) /
         std::pow(static_cast<double>(kChoices), static_cast<double>(rows.size()));
}

// P(sum of one weight per row >= observed), weights of a row equally likely, none negative.
template <std::size_t kChoices>
double weight_tail(std::span<const std::array<std::int64_t, kChoices>> rows,
                   std::int64_t observed) {
  std::int64_t total = 0;
  for (const auto& row : rows) total += *std::max_element(row.begin(), row.end());
  std::vector<double> probability(static_cast<std::size_t>(total) + 1, 0.0);
  std::vector<double> next(probability.size());
  probability[0] = 1;
  std::size_t reached = 1;  // sums below this may have a probability
  for (const auto& row : rows) {
    std::fill(next.begin(), next.end(), 0.0);
    for (const std::int64_t weight : row) {
      const auto shift = static_cast<std::size_t>(weight);
      for (std::size_t sum = 0; sum < reached; ++sum) next[sum + shift] += probability[sum];
    }
    for (double& value : next) value /= static_cast<double>(kChoices);
    reached += static_cast<std::size_t>(*std::max_element(row.begin(), row.end()));
    probability.swap(next);
  }
  double tail = 0;  // the small ones first
  for (std::int64_t sum = total; sum >= observed && sum >= 0; --sum) {
    tail += probability[static_cast<std::size_t>(sum)];
  }
  return std::min(1.0, tail);
}

template <std::size_t kChoices>
double choice_tail(Rows<kChoices> rows) {
  double observed = 0;
  double magnitude = 0;
  double range = 0;
  for (const auto& row : rows) {
    const auto [least, most] = std::minmax_element(row.begin(), row.end());
    observed += row[0];
    magnitude += std::max(std::abs(*least), std::abs(*most));
    range += *most - *least;
  }
  if (range == 0) return 1;
  if (rows.size() <= kCountedPairs) {
    return counted_tail<kChoices>(rows, observed - kSameSum * magnitude);
  }
  std::vector<std::array<std::int64_t, kChoices>> weights;
  std::int64_t reached = 0;
  for (const auto& row : rows) {
    const double least = *std::min_element(row.begin(), row.end());
    auto& weight = weights.emplace_back();
    for (std::size_t i = 0; i < kChoices; ++i) {
      weight[i] = std::llround((row[i] - least) / range * kRoundingSteps);
    }
    reached += weight[0];
  }
  return weight_tail<kChoices>(weights, reached);
}

}  // namespace

double sign_flip_p(std::span<const double> values) {
  std::vector<std::array<double, 2>> rows;
  rows.reserve(values.size());
  for (const double value : values) rows.push_back({value, -value});
  return choice_tail<2>(rows);
}

double signed_rank_p(std::span<const double> values) {
  std::vector<double> sorted;
  for (const double value : values) {
    if (value != 0) sorted.push_back(value);
  }
  std::sort(sorted.begin(), sorted.end(),
            [](double a, double b) { return std::abs(a) < std::abs(b); });
  std::vector<std::array<std::int64_t, 2>> rows;  // 2 x rank, so that mean ranks are whole
  std::int64_t positive = 0;
  for (std::size_t begin = 0; begin < sorted.size();) {
    std::size_t end = begin;
    while (end < sorted.size() && std::abs(sorted[end]) == std::abs(sorted[begin])) ++end;
    for (std::size_t i = begin; i < end; ++i) {
      rows.push_back({static_cast<std::int64_t>(begin + 1 + end), 0});
      if (sorted[i] > 0) positive += rows.back()[0];
    }
    begin = end;
  }
  return weight_tail<2>(rows, positive);
}

Relabelled relabelled(double a, double b, double c) {
  return {(a + c) / 2 - b, (b + c) / 2 - a, (a + b) / 2 - c};
}

double relabelling_p(std::span<const Relabelled> pairs) {
  return choice_tail<3>(pairs);
}

}  // namespace assay
