// The plan of an A/B: everything that decides its outcome besides the times, frozen with the first
// sample and stored, so that a verdict can be computed again from what is stored alone.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gates/statistics/standard_error.h"

namespace assay {

struct LookRule {
  int pairs = 0;
  double p = 0;  // a look crosses when a one-sided Student-t tail is at most this
};

// A guard's estimate in one record of the landed chain, a fraction, with its standard error (of the
// mean of ln times; 0 where none is recorded).
struct GuardEffect {
  std::string experiment;
  std::string workload;
  double effect = 0;
  double error = 0;
};

// A workload that must not lose `guard_margin` or more.
struct GuardPlan {
  nlohmann::json workload;
  std::vector<AaRun> aa;
  std::vector<GuardEffect> chain = {};  // of the LANDs in service when the plan was frozen
};

struct AbPlan {
  int version = 1;
  int arms = 2;        // 3: the baseline twice. A stored plan that does not say has two
  double bar = 0;      // theta, a fraction
  int pairs_max = 16;  // n_max: a multiple of 4, 8 to 96
  std::vector<LookRule> looks;
  int confirmation_pairs = 8;
  double guard_margin = 0;   // a fraction
  double segment_s = 0;      // aimed length of a segment
  std::string drop_rule;     // what may drop a pair, in words; "none"
  double drop_limit = 0.25;  // a larger share of dropped pairs is INVALID
  // How often the environment may change before the first look and set the pairs so far aside.
  // Empty: any number of times, as in a stored plan that does not say.
  std::optional<int> environment_changes;
  nlohmann::json workload;
  std::vector<AaRun> aa;  // every A/A run used
  std::vector<GuardPlan> guards;
};

// Runs of A/A history below which a verdict is marked provisional, and below which `run` must
// measure.
inline constexpr int kSettledAaRuns = 20;
inline constexpr int kLeastAaRuns = 6;

// What a plan made today allows: moving to another build or machine once is honest work.
inline constexpr int kEnvironmentChanges = 1;

// One-sided: what one attempt may spend, and both attempts of an experiment.
inline constexpr double kAttemptAlpha = 0.0125;
inline constexpr double kExperimentAlpha = 0.025;

// A plan with looks at 1/2, 3/4 and all of `pairs_max`, which spend kAttemptAlpha (spending.h).
// Error(kUsage) when pairs_max is not a multiple of 4 in 8..96, arms are not 2 or 3, or a bar or
// margin is outside [0, 1).
AbPlan make_plan(double bar, int pairs_max, double guard_margin, int arms = 2);
// The same conditions on a plan that was read.
void check_plan(const AbPlan& plan);

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(AaRun, id, pair_values)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LookRule, pairs, p)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GuardEffect, experiment, workload, effect, error)
void to_json(nlohmann::json& json, const GuardPlan& guard);
void from_json(const nlohmann::json& json, GuardPlan& guard);
void to_json(nlohmann::json& json, const AbPlan& plan);
void from_json(const nlohmann::json& json, AbPlan& plan);

// The least guard margin that such a plan can hold: 5 pair_sd / sqrt(pairs_max), fractions.
double smallest_guard_margin(double pair_sd, int pairs_max);

}  // namespace assay
