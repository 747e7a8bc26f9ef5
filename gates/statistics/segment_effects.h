// Two things that segments can show and a pair's value cannot.
//
// CARRY-OVER: a segment is slower after the candidate's than after the baseline's (it left a cache,
// a clock or a temperature behind). Arms have different predecessors, so this biases D: with two
// arms by 3/8 of the effect. Model of a pair's segments but the first: process + (same process
// before or another) + drift + effect x (the candidate before). Least squares give the effect per
// pair. A position effect (the first segment of a block is slow) is something else: exchanging A
// and B turns its share in the estimate around, so pairs of two arms are averaged per order first,
// and with three arms the coin makes it noise.
//
// CLOCK-MEDIATED: time and clock cycles disagree on D, so part of the effect is the arm's influence
// on the clock (power, temperature) and not on the work.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gates/statistics/judge.h"

namespace assay {

inline constexpr double kSegmentAlpha = 0.001;  // two-sided, of both tags
// A smaller clock effect is not worth a tag, however sure.
inline constexpr double kLeastClockEffect = 0.001;

// Logarithms: `effect` in the mean, with its t test against 0.
struct SegmentEffect {
  int pairs = 0;
  double effect = 0, error = 0, df = 0;
  double p = 1;  // two-sided; 1 where the pairs cannot tell
  bool tagged = false;
};

// Of pairs of one stage and one number of arms; dropped ones are left out. Two arms need both
// orders. Error(kCheckFound) for a pair that cannot be or of another number of arms.
SegmentEffect carry_over(std::span<const LaunchPair> pairs);

// One pair with both readings of each segment.
struct ClockedPair {
  std::string labels;
  std::vector<std::int64_t> times;   // ns
  std::vector<std::int64_t> cycles;  // of the clock that the work ran by
};
// `effect`: mean of D by time less D by cycles.
SegmentEffect clock_mediated(std::span<const ClockedPair> pairs);

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SegmentEffect, pairs, effect, error, df, p, tagged)

}  // namespace assay
