// The order in which eight partial sums become one, for plain C++ (matvec.h states the contract).
#pragma once

namespace assay {

// lanes (8) -> ((0+4)+(2+6)) + ((1+5)+(3+7)).
inline float sum_lanes(const float* lanes) {
  const float even = (lanes[0] + lanes[4]) + (lanes[2] + lanes[6]);
  const float odd = (lanes[1] + lanes[5]) + (lanes[3] + lanes[7]);
  return even + odd;
}

}  // namespace assay
