// One judgement of one stage: which pairs it reads, what it computes from them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gates/statistics/judge.h"
#include "gates/statistics/pair_value.h"

namespace assay {

// The pairs of a stage that a judgement over `wanted` kept pairs reads.
struct StagePairs {
  std::vector<PairMeasure> kept;  // not dropped
  std::vector<PairMeasure> all;   // dropped ones too
};

// Nothing while fewer than `wanted` kept pairs have run. `pairs` may hold other stages.
// Error(kCheckFound) for a pair of another number of arms.
std::optional<StagePairs> first_pairs(std::span<const LaunchPair> pairs, const std::string& stage,
                                      int arms, int wanted);

// D of each pair, and A - A' (see PairMeasure).
std::vector<double> values_of(std::span<const PairMeasure> pairs);
std::vector<double> contrasts_of(std::span<const PairMeasure> pairs);

// Estimate, error, tails and interval of `values` against a bar: all that LookRow holds but the
// exact tests and `says`.
LookRow measure_row(const std::string& stage, const std::vector<double>& values,
                    std::span<const AaRun> history, double bar, double p_boundary);

// A row of stage "ab" that says "slower", "no-gain", "above the bar" or "continue". A loss to zero
// is also a loss to the bar, and is called by the stronger name. The exact tests are asked only
// where the t test crossed.
LookRow take_look(std::span<const PairMeasure> pairs, std::span<const AaRun> history, double bar,
                  double p_boundary);

}  // namespace assay
