// Quantised activations: blocks of 32 as int8 codes, an f32 scale, and the exact sum of the codes.
#pragma once

#include <cstdint>

namespace assay {

// View of t rows of k elements (k a multiple of 32). Rows are contiguous.
struct QuantizedRows {
  std::int8_t* q;      // (t, k)       codes, -127..127
  float* d;            // (t, k / 32)  scale: x is about d * q
  std::int16_t* sum;   // (t, k / 32)  sum of the block's codes
};

// d = amax / 127, q = rint(x / d), IEEE division, ties to even; amax below 2^-119 gives d = q = 0.
struct QuantizeActivationsArgs {
  const float* x;      // (t, k)
  QuantizedRows out;
  int t;
  int k;               // multiple of 32
  std::uint64_t* nonfinite;  // one counter: += number of non-finite inputs (their codes are 0)
};

}  // namespace assay
