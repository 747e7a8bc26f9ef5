// What a plan can do, by simulating that very plan: its looks, its standard error with the A/A
// history it has, the exact tests and the confirmation; guards off, nothing dropped.
//
// Pair values are normal with a given sd (three arms: three normal processes). One set of runs is
// drawn by a fixed seed with no effect in it, and every effect is then tried on that set: a run
// that lands at an effect lands at any larger one, so the share that lands rises with the effect
// without noise in between. Against the formula bar + f pair_sd / sqrt(n) it knows the plan's own
// looks and history. Exact tests above 12 pairs are taken from their saddlepoint approximation
// (Lugannani and Rice, 1980): the exact ones cost too much 10,000 times over.
#pragma once

#include "gates/statistics/plan.h"

namespace assay {

// A/A runs that the plan's history still lacks and `run` will measure first. They are drawn anew in
// each simulated run; those that the plan holds are taken as they are.
struct DrawnHistory {
  int runs = 0;
  int pairs = 8;  // of each
};

// The effect that lands in 80 % of runs. `pair_sd` (of D) and the result are fractions; pair_sd
// above 0, else Error(kUsage).
double smallest_detectable_effect(const AbPlan& plan, double pair_sd, DrawnHistory drawn = {});

// How far estimates lie above the truth because only some are looked at. Fractions.
struct SelectionInflation {
  double lands = 0;      // share of runs that land
  double crossing = 0;   // mean excess of the estimate at the look that crossed above the bar
  double confirmed = 0;  // mean excess of the confirmation's estimate where it passed
};
// At a true effect of `estimate`: the confirmation's, of which a record states the inflation. The
// excess is 0 where nothing crosses.
SelectionInflation selection_inflation(const AbPlan& plan, double pair_sd, double estimate);

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SelectionInflation, lands, crossing, confirmed)

}  // namespace assay
