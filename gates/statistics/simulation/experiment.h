// One whole experiment of the interleaved A/B on a simulated machine, judged by judge() itself.
#pragma once

#include <string>
#include <vector>

#include "gates/statistics/judge.h"
#include "gates/statistics/simulation/random.h"
#include "gates/statistics/simulation/scenario.h"

namespace assay::simulation {

struct Setting {
  Scenario scenario;
  double effect = 0;     // true, a fraction
  int aa_runs = 0;       // K
  int aa_pairs = 0;      // pairs of an A/A run; 0: as many as the plan's pairs_max
  double offset_sd = 0;  // of the offset between the arms that each run, A/A or not, keeps
};

struct Outcome {
  bool eligible = false;   // crossed above the bar; before confirmation
  bool landed = false;     // after confirmation
  bool t_crossed = false;  // some look's t test was above the bar, whatever the exact tests said
  std::string reason;      // of a REVERT
};

// `plan` holds everything but the A/A history, which is drawn here.
Outcome play(const Setting& setting, AbPlan plan, Random& random);

// `runs` A/A runs of a scenario.
std::vector<AaRun> simulate_history(const Setting& setting, int pairs, Random& random);

// True when the judgement asks for a confirmation.
bool is_eligible(const AbJudgement& judged);

// Standard deviation of D in a run of `pairs` pairs, from 400 simulated ones.
double pair_sd_of(const Scenario& scenario, int pairs);

}  // namespace assay::simulation
