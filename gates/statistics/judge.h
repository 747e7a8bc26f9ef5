// The verdict of an A/B as a function of its plan and the pairs so far.
//
//   ab --look 1/2, 3/4, 1--> continue ... --crosses above the bar--> guards --> confirmation -->
//   LAND
//                    |                                              \--loses--> REVERT(guard)
//                    |--crosses below 0--> REVERT(slower)             failed, or looks exhausted:
//                    \--crosses below the bar--> REVERT(no-gain)       REVERT(unproven)
//
// Invariants
//  1. Pure and replayable: the pooled pairs in the order they ran give the verdict, with no state
//  kept
//     between calls. A kill or a restart cannot move a look.
//  2. A look reads the first pairs it needs, however many there are.
//  3. Guards and confirmation are read only for a look that crossed; confirmation is read once. A
//     guard that passes by itself may still lose what the chain of LANDs has left (guards.h).
//  4. Pairs of different environments are never pooled. Before the first look the plan allows a
//     change (once): the pairs so far are set aside, and a look crosses only where it does with
//     them as well. One more change, or one after a look, ends the attempt unproven. Who may start
//     over while the pairs do not look promising lands what is worth no more than the bar.
//  5. With three arms, a verdict whose two baselines differ is none: INVALID, asked once, at the
//  end.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gates/statistics/plan.h"

namespace assay {

struct LaunchPair {
  std::string stage;                // "ab", "confirmation" or "guard:N", N from 0
  std::string labels;               // "ABBABAAB"; three arms: "ABCCBABCAACBCABBAC", C for A'
  std::vector<std::int64_t> times;  // ns, worker's clock, in the order they ran
  std::string environment;          // fingerprint
  bool dropped = false;             // by the plan's rule
};

// One judgement of one stage. Effects and interval ends are fractions, t(A) / t(B) - 1.
struct LookRow {
  std::string stage;
  int pairs = 0;
  int dropped = 0;        // pairs left out among those that ran
  double p_boundary = 0;  // of this look; 0.05 for guards and confirmation
  double mean = 0, pair_sd = 0, error = 0, aa_error = 0, df = 0;  // of D
  int aa_runs = 0;
  double estimate = 0, low = 0, high = 0;       // effect with its two-sided 95 % interval
  double lower = 0;                             // one-sided 95 % lower bound of the effect
  double t_bar = 0, p_land = 1, p_no_gain = 1;  // mean - ln(1 + bar), upper and lower tail
  double t_zero = 0, p_slower = 1;              // mean, lower tail
  // Exact tests against the bar; empty where they were not asked: other stages, no crossing, or
  // another number of arms.
  std::optional<double> p_sign_flip, p_signed_rank;  // two arms
  std::optional<double> p_relabelled;                // three arms
  std::string says;  // "continue", "above the bar", "slower", "no-gain", "passes", "fails", ...
};

enum class AbAction {
  kMorePairs,  // run pairs of `next_stage` until it holds `next_pairs` pairs that were not dropped
  kLand,
  kRevert,   // `reason`: slower, no-gain, guard, unproven
  kInvalid,  // too many pairs dropped, or two equal baselines that differ
};
std::string to_string(AbAction action);

// Two processes of the same baseline, over every pair that the verdict rests on.
struct TwinCheck {
  int pairs = 0;
  double mean = 0, error = 0, df = 0;  // of (A - A') sqrt(3) / 2
  double p = 1;                        // two-sided
};
inline constexpr double kTwinAlpha = 0.001;

struct AbJudgement {
  AbAction action = AbAction::kMorePairs;
  std::string next_stage;
  int next_pairs = 0;
  std::string reason;          // of a REVERT
  std::string sentence;        // one line for people
  std::vector<LookRow> looks;  // every row judged, in order: looks, guards, confirmation
  bool looked = false;         // a look of stage "ab" was taken: the attempt is used
  bool provisional = false;    // fewer than 20 A/A runs
  // The pairs of one environment that it pooled: the first of those given, and how many.
  std::size_t pooled_from = 0, pooled = 0;
  int set_aside = 0;  // pairs of stage "ab" before them, of an older environment
  // A grade, neither needed nor sufficient: the slowest process of B was faster than the fastest of
  // the baseline, over the pairs of the last look and the confirmation.
  bool separated = false;
  std::optional<TwinCheck> twins;  // of a verdict with three arms
};

// Error(kUsage) for a plan that is not sound, Error(kCheckFound) for pairs that cannot be.
AbJudgement judge(const AbPlan& plan, const std::vector<LaunchPair>& pairs);

// (A - A') sqrt(3) / 2 of each pair of three arms that was not dropped, stages "ab" and
// "confirmation": what the run adds to the A/A history.
std::vector<double> twin_contrasts(std::span<const LaunchPair> pairs);

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TwinCheck, pairs, mean, error, df, p)
void to_json(nlohmann::json& json, const LookRow& row);
void from_json(const nlohmann::json& json, LookRow& row);
void to_json(nlohmann::json& json, const AbJudgement& judgement);

}  // namespace assay
