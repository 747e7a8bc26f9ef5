// The index of the largest value; ties go to the lowest index. NaN never wins.
#pragma once

#include <cstdint>

namespace assay {

struct ArgmaxArgs {
  const float* x;      // (k)
  std::int32_t* index; // (1)
  float* value;        // (1): x[index]
  float* second;       // (1): largest of the others, -inf when k is 1
  int k;
};

}  // namespace assay
