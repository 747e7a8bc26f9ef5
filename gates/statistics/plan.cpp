#include "gates/statistics/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/core/error.h"

namespace assay {
namespace {

// Spent 0.0125 one-sided over the fractions 1/2, 3/4, 1.
constexpr double kLookP[3] = {0.00041, 0.0038, 0.0113};

}  // namespace

AbPlan make_plan(double bar, int pairs_max, double guard_margin) {
  AbPlan plan;
  plan.bar = bar;
  plan.pairs_max = pairs_max;
  plan.guard_margin = guard_margin;
  plan.confirmation_pairs = pairs_max / 2;
  plan.drop_rule = "none";
  for (int quarter = 2; quarter <= 4; ++quarter) {
    plan.looks.push_back({pairs_max / 4 * quarter, kLookP[quarter - 2]});
  }
  check_plan(plan);
  return plan;
}

void check_plan(const AbPlan& plan) {
  if (plan.version != 1) {
    throw Error(ErrorKind::kUsage,
                fmt::format("A/B plan: version {}; this program knows version 1", plan.version));
  }
  if (plan.pairs_max < 8 || plan.pairs_max > 96 || plan.pairs_max % 4 != 0) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("A/B plan: {} pairs; give a multiple of 4 from 8 to 96", plan.pairs_max));
  }
  const auto is_share = [](double value) { return value >= 0 && value < 1; };
  if (!is_share(plan.bar) || !is_share(plan.guard_margin)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("A/B plan: bar {} and guard margin {} must lie in [0, 1)", plan.bar,
                            plan.guard_margin));
  }
  if (plan.confirmation_pairs < 2) {
    throw Error(ErrorKind::kUsage,
                fmt::format("A/B plan: {} confirmation pairs; at least 2 are needed",
                            plan.confirmation_pairs));
  }
  int last = 1;
  for (const LookRule& look : plan.looks) {
    if (look.pairs <= last || look.p <= 0 || look.p >= 0.5) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("A/B plan: look at {} pairs with p {} (looks rise, p in (0, 0.5))",
                              look.pairs, look.p));
    }
    last = look.pairs;
  }
  if (plan.looks.empty() || last != plan.pairs_max) {
    throw Error(ErrorKind::kUsage,
                fmt::format("A/B plan: the last look must be at {} pairs", plan.pairs_max));
  }
}

double smallest_detectable_effect(double bar, double pair_sd, int pairs_max, int aa_runs) {
  const double few = bar > 0 ? 4.3 : 4.9;
  const double many = bar > 0 ? 3.8 : 4.6;
  const double runs = std::clamp(aa_runs, kLeastAaRuns, kSettledAaRuns);
  const double share =
      (1 / runs - 1.0 / kSettledAaRuns) / (1.0 / kLeastAaRuns - 1.0 / kSettledAaRuns);
  return bar + (many + share * (few - many)) * pair_sd / std::sqrt(pairs_max);
}

double smallest_guard_margin(double pair_sd, int pairs_max) {
  return 5 * pair_sd / std::sqrt(pairs_max);
}

}  // namespace assay
