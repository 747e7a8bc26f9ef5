#include "gates/statistics/guards.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "engine/core/error.h"
#include "gates/statistics/pair_value.h"
#include "gates/statistics/student_t.h"

namespace assay {
namespace {

constexpr double kOneSidedQuantile = 1.6448536269514722;  // of a normal distribution, 95 %

}  // namespace

std::string to_string(GuardSays says) {
  switch (says) {
    case GuardSays::kPasses:
      return "passes";
    case GuardSays::kNotShown:
      return "not shown";
    case GuardSays::kLoses:
      return "loses";
  }
  throw Error(ErrorKind::kInternal, "to_string: unknown GuardSays");
}

std::vector<GuardSays> read_guards(std::span<const LookRow> rows, double margin) {
  const double floor = std::log1p(-margin);
  std::vector<GuardSays> says;
  std::vector<double> p_loses;
  for (const LookRow& row : rows) {
    const double t = t_ratio(row.mean - floor, row.error);
    const bool passes = t_upper_tail(t, row.df) < kGuardAlpha;  // lower bound above the floor
    says.push_back(passes ? GuardSays::kPasses : GuardSays::kNotShown);
    p_loses.push_back(t_upper_tail(-t, row.df));
  }
  const std::vector<bool> loses = holm_rejected(p_loses, kGuardAlpha);
  for (std::size_t i = 0; i < says.size(); ++i) {
    if (loses[i]) says[i] = GuardSays::kLoses;
  }
  return says;
}

std::vector<bool> holm_rejected(std::span<const double> p, double alpha) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<bool> rejected(p.size(), false);
  for (std::size_t step = 0; step < order.size(); ++step) {
    if (p[order[step]] >= alpha / static_cast<double>(order.size() - step)) break;
    rejected[order[step]] = true;
  }
  return rejected;
}

std::vector<ChainLoss> chain_losses(std::span<const GuardEffect> landed) {
  struct Sum {
    int records = 0;
    double mean = 0, variance = 0;  // of logarithms
  };
  std::map<std::string, Sum> chains;
  for (const GuardEffect& guard : landed) {
    if (!(guard.effect > -1)) {
      throw Error(ErrorKind::kCheckFound,
                  fmt::format("guard {} of {}: an effect of {} cannot be", guard.workload,
                              guard.experiment, guard.effect));
    }
    Sum& chain = chains[guard.workload];
    ++chain.records;
    chain.mean += std::min(std::log1p(guard.effect), kOneSidedQuantile * guard.error);
    chain.variance += guard.error * guard.error;
  }
  std::vector<ChainLoss> rows;
  for (const auto& [workload, chain] : chains) {
    const double upper = chain.mean + kOneSidedQuantile * std::sqrt(chain.variance);
    rows.push_back({.workload = workload,
                    .records = chain.records,
                    .loss = effect_of(chain.mean),
                    .upper = effect_of(upper),
                    .blocks = effect_of(chain.mean) < kChainLimit && upper < 0});
  }
  return rows;
}

}  // namespace assay
