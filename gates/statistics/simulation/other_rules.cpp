#include "gates/statistics/simulation/other_rules.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "gates/statistics/simulation/experiment.h"

namespace assay::simulation {
namespace {

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double sd_of(const std::vector<double>& values) {
  const double mean = mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

std::span<const double> first(const std::vector<double>& values, std::size_t count) {
  return std::span(values).first(std::min(count, values.size()));
}

double least(std::span<const double> values) {
  return *std::min_element(values.begin(), values.end());
}

double greatest(std::span<const double> values) {
  return *std::max_element(values.begin(), values.end());
}

bool intervals_apart(const LaunchMeans& launches) {
  return mean_of(launches.b) + sd_of(launches.b) < mean_of(launches.a) - sd_of(launches.a);
}

bool mann_whitney(const LaunchMeans& launches) {
  return mean_of(launches.b) < mean_of(launches.a) && mann_whitney_p(launches.a, launches.b) < 0.05;
}

bool separated(const LaunchMeans& launches) {
  return greatest(first(launches.b, 3)) < least(first(launches.a, 3));
}

bool best_of_five(const LaunchMeans& launches) {
  return least(first(launches.b, 5)) < least(first(launches.a, 5));
}

bool one_percent(const LaunchMeans& launches) {
  return mean_of(launches.a) > 1.01 * mean_of(launches.b);
}

void speed_up(std::vector<LaunchPair>& pairs, double gain) {
  for (LaunchPair& pair : pairs) {
    for (std::size_t slot = 0; slot < pair.times.size(); ++slot) {
      if (pair.labels[slot] != 'B') continue;
      pair.times[slot] = std::llround(static_cast<double>(pair.times[slot]) / (1 + gain));
    }
  }
}

void count(const std::vector<LaunchPair>& pairs, const AbPlan& plan,
           std::vector<RuleCount>& counts) {
  const LaunchMeans launches = launch_means(pairs);
  std::size_t at = 0;
  for (const OtherRule& rule : other_rules()) counts[at++].landed += rule.lands(launches) ? 1 : 0;
  counts[at].landed += is_eligible(judge(plan, pairs)) ? 1 : 0;
  for (RuleCount& rule : counts) ++rule.judged;
}

}  // namespace

std::vector<LaunchPair> exchanged(std::vector<LaunchPair> pairs) {
  for (LaunchPair& pair : pairs) {
    for (char& label : pair.labels) {
      if (label == 'A' || label == 'B') label = label == 'A' ? 'B' : 'A';
    }
  }
  return pairs;
}

LaunchMeans launch_means(const std::vector<LaunchPair>& pairs) {
  LaunchMeans means;
  for (const LaunchPair& pair : pairs) {
    if (pair.stage != "ab" || pair.dropped) continue;
    double sum[2] = {0, 0};
    int segments[2] = {0, 0};
    for (std::size_t slot = 0; slot < pair.times.size(); ++slot) {
      if (pair.labels[slot] != 'A' && pair.labels[slot] != 'B') continue;
      const int arm = pair.labels[slot] == 'A' ? 0 : 1;
      sum[arm] += static_cast<double>(pair.times[slot]);
      ++segments[arm];
    }
    means.a.push_back(sum[0] / segments[0]);
    means.b.push_back(sum[1] / segments[1]);
  }
  return means;
}

double mann_whitney_p(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<std::pair<double, int>> all;
  for (const double value : a) all.emplace_back(value, 0);
  for (const double value : b) all.emplace_back(value, 1);
  std::sort(all.begin(), all.end());
  const double n = static_cast<double>(all.size());
  double ranks_of_a = 0;
  double ties = 0;
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = begin;
    while (end < all.size() && all[end].first == all[begin].first) ++end;
    const double rank = static_cast<double>(begin + 1 + end) / 2;
    for (std::size_t i = begin; i < end; ++i) ranks_of_a += all[i].second == 0 ? rank : 0;
    const double equal = static_cast<double>(end - begin);
    ties += equal * equal * equal - equal;
    begin = end;
  }
  const double count_a = static_cast<double>(a.size());
  const double count_b = static_cast<double>(b.size());
  const double u = ranks_of_a - count_a * (count_a + 1) / 2;
  const double variance = count_a * count_b / 12 * (n + 1 - ties / (n * (n - 1)));
  if (variance <= 0) return 1;
  const double z = (std::abs(u - count_a * count_b / 2) - 0.5) / std::sqrt(variance);
  return std::min(1.0, std::erfc(z / std::sqrt(2.0)));
}

const std::vector<OtherRule>& other_rules() {
  static const std::vector<OtherRule> list = {
      {"mean +- sd apart", intervals_apart},    {"Mann-Whitney 0.05", mann_whitney},
      {"min(new) > max(base), n 3", separated}, {"best of 5", best_of_five},
      {"1 % threshold", one_percent},
  };
  return list;
}

std::vector<RuleCount> judge_stored_pairs(const std::vector<LaunchPair>& pairs, const AbPlan& plan,
                                          double gain, bool both_ways) {
  std::vector<RuleCount> counts;
  for (const OtherRule& rule : other_rules()) counts.push_back({rule.name});
  counts.push_back({"this project's looks"});
  std::vector<LaunchPair> kept;
  for (const LaunchPair& pair : pairs) {
    if (!pair.dropped) kept.push_back(pair);
  }
  const auto width = static_cast<std::size_t>(plan.pairs_max);
  for (std::size_t begin = 0; begin + width <= kept.size(); ++begin) {
    const auto from = kept.begin() + static_cast<std::ptrdiff_t>(begin);
    std::vector<LaunchPair> window(from, from + plan.pairs_max);
    const auto is_foreign = [&](const LaunchPair& pair) {
      return pair.environment != window.front().environment;
    };
    if (std::any_of(window.begin(), window.end(), is_foreign)) continue;
    for (LaunchPair& pair : window) pair.stage = "ab";
    std::vector<LaunchPair> mirrored = exchanged(window);
    speed_up(window, gain);
    count(window, plan, counts);
    if (!both_ways) continue;
    speed_up(mirrored, gain);
    count(mirrored, plan, counts);
  }
  return counts;
}

}  // namespace assay::simulation
