// Where the noise of a pair comes from, by the method of moments over stored segments.
//
// Model: y = ln t of one segment of process a (of pair i) in block j is
//
//   y = pair_i + arm_a + process_ia + slow_iaj + position + drift x slot + segment_iajs
//
// with independent process ~ (0, sd^2): an offset that a process keeps for life; slow ~ (0, sd^2):
// what a process keeps for a block; segment ~ (0, sd^2): the rest. What all processes of a pair
// share cancels. Moments, for a arms and b blocks of 2a segments (a = b = 2 or 3), n pairs:
//
//   within blocks: the a differences (first less second segment of a process), the part along a
//     linear drift taken out: mean square 2 segment^2, a - 1 degrees of freedom per block
//   between blocks of a process: interaction of process and block, the mean effect of position
//     (outer to inner) taken out: mean square slow^2 + segment^2 / 2
//   between processes: arm means of a pair less their mean over pairs:
//     mean square process^2 + slow^2 / b + segment^2 / 2b
//
// A difference of moments below 0 is called 0. With two arms the position effect takes one of the n
// degrees of freedom of the interaction. Var D = 2 process^2 + slow^2 + segment^2 / 2 for two arms,
// 3/2 process^2 + slow^2 / 2 + segment^2 / 4 for three.
#pragma once

#include <span>

#include "gates/statistics/judge.h"

namespace assay {

struct VarianceComponents {
  int pairs = 0;
  int arms = 0;
  double segment_sd = 0, slow_sd = 0, process_sd = 0;  // of ln time
  double pair_sd = 0;                                  // of D, as the model has it
};

// Of pairs of one workload and one number of arms; dropped ones are left out. Error(kCheckFound)
// for fewer than 3 pairs, or pairs that cannot be or differ in arms.
VarianceComponents variance_components(std::span<const LaunchPair> pairs);

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(VarianceComponents, pairs, arms, segment_sd, slow_sd, process_sd,
                                   pair_sd)

}  // namespace assay
