// What a timed verdict rests on, read from what is stored of its attempt: the looks with the alpha
// they spent, the A/A history, the pairs left out, confirmation and guards. The record, `assay
// show` and `assay run` all say it from here.
//
// Nothing is judged again (`assay check` does that). A key that an older record lacks is empty
// here, never zero.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "experiments/record/view.h"

namespace assay {

// A stored look of any stage. Effects are fractions.
struct JudgedLook {
  std::string stage;
  int pairs = 0;
  std::optional<double> estimate, low, high, lower;  // `lower`: one-sided 95 % bound
  std::optional<double> p_boundary;
  std::optional<double> own_error, aa_error;  // of the mean of ln times
  std::string says;

  // The larger of the two is the standard error.
  bool history_ruled() const { return aa_error && own_error && *aa_error > *own_error; }
};

JudgedLook judged_look(const Look& look);

// An A/A effect that the plan froze.
struct HistoryEffect {
  std::string id, at;
  std::vector<double> pair_values;
};

struct DroppedPair {
  std::string stage;
  int pair = 0;  // from 1, within the stage
  std::string reason;
};

// What segments show beside the verdict (gates/statistics/segment_effects.h).
struct SegmentTag {
  double effect = 0;  // a fraction
  int pairs = 0;
  double p = 1;
  bool tagged = false;
  std::optional<double> by_cycles;  // CLOCK-MEDIATED: the A/B's effect by clock cycles
};

// The baseline's two processes against each other, over every pair that the verdict rests on.
struct TwinFacts {
  int pairs = 0;
  double difference = 0;  // a fraction
  double p = 1;           // two-sided
};

// How far estimates of a LAND lie too high because only such looks cross, by a simulation of its
// plan at the confirmation's effect.
struct SelectionFacts {
  double lands = 0;      // share of runs that land
  double crossing = 0;   // mean excess at the look that crossed, a fraction
  double confirmed = 0;  // mean excess of the confirmation that passed
};

struct VerdictFacts {
  std::optional<double> bar;
  int pairs_max = 0;  // 0: not recorded
  std::vector<JudgedLook> looks, guards;
  std::optional<JudgedLook> confirmation;
  std::vector<std::string> guard_workloads;  // of the plan, in order
  std::vector<HistoryEffect> history;        // of the primary workload, as frozen
  std::optional<bool> provisional;
  int pairs_run = 0;
  std::vector<DroppedPair> dropped;
  int set_aside = 0;               // pairs of the A/B in an older environment
  std::optional<TwinFacts> twins;  // of three arms
  // The slowest process of the candidate was faster than the fastest of the baseline: a grade.
  std::optional<bool> separated;
  std::optional<SegmentTag> carry_over, clock_mediated;
  std::optional<SelectionFacts> selection;  // of a LAND
  std::string judged_at;                    // of the verdict; "" when there is none

  bool timed() const { return pairs_run > 0 || !looks.empty(); }
  // Pairs that the last look read; 0 before the first.
  int last_pairs() const { return looks.empty() ? 0 : looks.back().pairs; }
};
VerdictFacts verdict_facts(const AttemptView& attempt);

// Of the effects that say when they were measured; null when none does.
const HistoryEffect* oldest_effect(const VerdictFacts& facts);

// The frozen plan: the event's body, or its part "plan" where it stands beside the A/A effects.
const nlohmann::json& plan_of(const AttemptView& attempt);

// The values of the A/B's gate in the run that gave the verdict, or in the last; null without one.
const nlohmann::json& ab_values(const AttemptView& attempt);

// Whether every segment of a pair has its arm and a time.
bool readable(const PairSample& pair);
// t(baseline) / t(candidate) - 1 of one pair; with three arms the baseline is A and C, which weigh
// the same.
std::optional<double> pair_effect(const PairSample& pair);

// Effect of an A/A run over its first `pairs` pairs (all, when it has fewer, or for 0).
double history_effect(const std::vector<double>& pair_values, int pairs);
// Root mean square over the runs, of the mean of ln times; empty without history.
std::optional<double> history_rms(const std::vector<HistoryEffect>& history, int pairs);
// Days from one UTC text to another; empty where one is no time.
std::optional<double> days_between(const std::string& earlier, const std::string& later);

// What the looks taken have spent, one-sided, and what the whole plan may.
struct AlphaSpent {
  double spent = 0;
  std::optional<double>
      planned;  // empty: the plan is of an unknown kind, `spent` a bound from above
};
std::optional<AlphaSpent> alpha_spent(const VerdictFacts& facts);

}  // namespace assay
