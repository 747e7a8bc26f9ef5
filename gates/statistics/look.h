// One judgement of one stage: which pairs it reads, what it computes from them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gates/statistics/judge.h"

namespace assay {

// The pairs of a stage that a judgement over `wanted` kept pairs reads.
struct StagePairs {
  std::vector<double> kept;  // D, not dropped
  std::vector<double> all;   // D, dropped ones too
  std::string environment;
};

// Nothing while fewer than `wanted` kept pairs have run. `pairs` may hold other stages.
std::optional<StagePairs> first_pairs(const std::vector<LaunchPair>& pairs,
                                      const std::string& stage, int wanted);

// Estimate, error, tails and interval of `values` against a bar (all that LookRow holds but
// `says`).
LookRow measure_row(const std::string& stage, const std::vector<double>& values,
                    const std::vector<AaRun>& history, double bar, double p_boundary);

// What a look says: "slower", "no-gain", "above the bar" or "continue". A loss to zero is also a
// loss to the bar, and is called by the stronger name.
std::string read_look(const LookRow& row);

}  // namespace assay
