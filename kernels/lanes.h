// Eight partial sums and the one tree that adds them up.
//
// Element i of a sum goes to lane i % 8, in rising order; the tree below joins the lanes. Every
// kernel keeps this order whatever the instruction set, so that all give the same bits.
#pragma once

namespace assay {

inline constexpr int kLanes = 8;

// lane (8)
inline float sum_lanes(const float* lane) {
  return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

}  // namespace assay
