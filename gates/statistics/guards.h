// Guards: workloads that a lever must not slow down.
//
// The null of a guard is "loses the margin or more", so a guard passes only when it is shown not
// to: its one-sided 95 % lower bound lies above ln(1 - margin). All must pass, which needs no
// correction for their number. The other side, "loses more than the margin", convicts if any guard
// does, and is corrected by Holm's steps.
//
// Each landed record may lose a little within the margin; along a chain of them that adds up, so
// effects are summed per workload. Gains do not pay for losses: what a workload gained by a lever
// of its own was landed for it. But an estimate is noise, too: the sum of losses alone falls by 0.4
// standard errors with each record that loses nothing, and at an error of 0.2 % it was below -1 %
// in 88 % of chains of twenty such records. So a gain counts up to what noise gives (1.645 errors),
// which takes the sum's bias down to 0.02 errors a record, and a chain blocks only where its sum is
// below the limit *and* shown to be a loss. Simulated (guards_test.cpp): of records that lose
// nothing at most 2 % are refused, at errors from 0.1 to 1 %; of those that lose 0.3 % each at an
// error of 0.2 %, half of all chains end by the fourth.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gates/statistics/judge.h"

namespace assay {

inline constexpr double kGuardAlpha = 0.05;  // one-sided

enum class GuardSays { kPasses, kNotShown, kLoses };
std::string to_string(GuardSays says);

// Of rows of guards against `margin` (a fraction, below 1), in their order.
std::vector<GuardSays> read_guards(std::span<const LookRow> rows, double margin);

// Holm's step-down: which of these hypotheses are rejected at the family-wise `alpha`.
std::vector<bool> holm_rejected(std::span<const double> p, double alpha);

struct ChainLoss {
  std::string workload;
  int records = 0;      // in which it was a guard
  double loss = 0;      // effect of all of them one after the other, gains capped
  double upper = 0;     // its one-sided 95 % upper bound
  bool blocks = false;  // `loss` is below kChainLimit and `upper` below 0
};
inline constexpr double kChainLimit = -0.01;

// One row per workload, by name. `landed` holds the records in service and the one about to land.
// Error(kCheckFound) for an effect of -1 or less.
std::vector<ChainLoss> chain_losses(std::span<const GuardEffect> landed);

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ChainLoss, workload, records, loss, upper, blocks)

}  // namespace assay
