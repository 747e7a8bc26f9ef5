// Guards: workloads that a lever must not slow down.
//
// The null of a guard is "loses the margin or more", so a guard passes only when it is shown not
// to: its one-sided 95 % lower bound lies above ln(1 - margin). All must pass, which needs no
// correction for their number. The other side, "loses more than the margin", convicts if any guard
// does, and is corrected by Holm's steps.
//
// Each landed record may lose a little within the margin; along a chain of them that adds up, so
// losses are summed per workload. Gains do not pay for losses: what a workload gained by a lever of
// its own was landed for it.
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

// A guard's estimate in one record of the landed chain, a fraction.
struct GuardEffect {
  std::string experiment;
  std::string workload;
  double effect = 0;
};

struct ChainLoss {
  std::string workload;
  int records = 0;      // in which it was a guard
  double loss = 0;      // effect of all losses one after the other, <= 0
  bool blocks = false;  // below kChainLimit
};
inline constexpr double kChainLimit = -0.01;

// One row per workload, by name. `landed` holds the records in service and the one about to land.
// Error(kCheckFound) for an effect of -1 or less.
std::vector<ChainLoss> chain_losses(std::span<const GuardEffect> landed);

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ChainLoss, workload, records, loss, blocks)

}  // namespace assay
