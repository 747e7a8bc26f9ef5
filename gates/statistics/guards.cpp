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
  std::map<std::string, ChainLoss> chains;
  for (const GuardEffect& guard : landed) {
    if (!(guard.effect > -1)) {
      throw Error(ErrorKind::kCheckFound,
                  fmt::format("guard {} of {}: an effect of {} cannot be", guard.workload,
                              guard.experiment, guard.effect));
    }
    ChainLoss& chain = chains[guard.workload];
    chain.workload = guard.workload;
    ++chain.records;
    chain.loss += std::min(0.0, std::log1p(guard.effect));  // a logarithm until all are summed
  }
  std::vector<ChainLoss> rows;
  for (auto& [workload, chain] : chains) {
    chain.loss = effect_of(chain.loss);
    chain.blocks = chain.loss < kChainLimit;
    rows.push_back(chain);
  }
  return rows;
}

}  // namespace assay
