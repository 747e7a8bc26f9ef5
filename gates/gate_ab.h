// The interleaved A/B: pairs until the plan's rules give a verdict.
#pragma once

#include "experiments/record/view.h"
#include "gates/gate.h"
#include "gates/statistics/judge.h"

namespace assay {

enum class AbStop {
  kJudged,       // `judgement` holds LAND or REVERT
  kInterrupted,  // asked to stop: resumable
  kRed,          // a timed segment did not prove itself: GateResult is red
  kInvalid,      // the environment is not fit
  kError,        // the baseline or the runner failed
};

struct AbResult {
  GateResult gate;
  AbStop stop = AbStop::kError;
  AbJudgement judgement;
  AbPlan plan;
  std::vector<AaEffect> aa;  // used by the plan
  bool looked = false;       // the attempt is used
  nlohmann::json effect;     // VerdictBody::effect
};

// `attempt` is the attempt as history has it (samples and plan of earlier runs included).
AbResult gate_ab(const GateInput& input, const GateMemory& memory, const AttemptView& attempt);

// The stored pairs in the form the statistics read.
LaunchPair launch_pair_of(const PairSample& sample);
std::vector<LaunchPair> launch_pairs(const std::vector<PairSample>& samples);

}  // namespace assay
