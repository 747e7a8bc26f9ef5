// The plan of an A/B: everything that decides its outcome besides the times, frozen with the first
// sample and stored, so that a verdict can be computed again from what is stored alone.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gates/statistics/standard_error.h"

namespace assay {

struct LookRule {
  int pairs = 0;
  double p = 0;  // a look crosses when a one-sided Student-t tail is at most this
};

// A workload that must not lose `guard_margin` or more.
struct GuardPlan {
  nlohmann::json workload;
  std::vector<AaRun> aa;
};

struct AbPlan {
  int version = 1;
  double bar = 0;      // theta, a fraction
  int pairs_max = 16;  // n_max: a multiple of 4, 8 to 96
  std::vector<LookRule> looks;
  int confirmation_pairs = 8;
  double guard_margin = 0;   // a fraction
  double segment_s = 0;      // aimed length of a segment
  std::string drop_rule;     // what may drop a pair, in words; "none"
  double drop_limit = 0.25;  // a larger share of dropped pairs is INVALID
  nlohmann::json workload;
  std::vector<AaRun> aa;  // every A/A run used
  std::vector<GuardPlan> guards;
};

// Runs of A/A history below which a verdict is marked provisional, and below which `run` must
// measure.
inline constexpr int kSettledAaRuns = 20;
inline constexpr int kLeastAaRuns = 6;

// A plan with looks at 1/2, 3/4 and all of `pairs_max`. Their p spend one-sided 0.0125 after Lan
// and DeMets with O'Brien and Fleming's shape. Error(kUsage) when pairs_max is not a multiple of 4
// in 8..96, or a bar or margin is outside [0, 1).
AbPlan make_plan(double bar, int pairs_max, double guard_margin);
// The same conditions on a plan that was read.
void check_plan(const AbPlan& plan);

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(AaRun, id, pair_values)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LookRule, pairs, p)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GuardPlan, workload, aa)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(AbPlan, version, bar, pairs_max, looks, confirmation_pairs,
                                   guard_margin, segment_s, drop_rule, drop_limit, workload, aa,
                                   guards)

// The smallest effect that such a plan lands in about 80 % of runs: bar + f pair_sd /
// sqrt(pairs_max), f by simulation of the whole procedure (4.3 with 6 A/A runs, 3.8 with 20; 4.9
// and 4.6 at bar 0), linear in 1 / runs between, as t quantiles are. `pair_sd` and the result are
// fractions.
double smallest_detectable_effect(double bar, double pair_sd, int pairs_max, int aa_runs);
// The least guard margin that such a plan can hold: 5 pair_sd / sqrt(pairs_max).
double smallest_guard_margin(double pair_sd, int pairs_max);

}  // namespace assay
