// e^x in f64 for x <= 0, as one fixed sequence of IEEE operations; host and device.
//
// The C library's exp differs in its last bit from machine to machine (it picks code with FMA by
// cpuid), and one bit can change which token is drawn. kernels/exp.h is the same thing in f32, for
// kernels; this one is for sampling, where a token of probability 1e-9 must still have a weight.
//
// Method: x = n ln 2 + r, ln 2 in two parts so that n * high is exact; e^r by its series up to
// r^13 (|r| <= ln 2 / 2: the rest is below 5e-18); 2^n by ldexp, which is exact. Error: at most 1
// ulp against the C library's (exp_f64_test.cpp). Below -700 the result is 0.
#pragma once

#include <cmath>

#include "kernels/host_device.h"

namespace assay {

ASSAY_HOST_DEVICE inline double exp_f64(double x) {
  constexpr double kLowest = -700;
  constexpr double kLog2E = 0x1.71547652b82fep+0;
  constexpr double kLn2High = 0x1.62e42fee00000p-1;  // 32 bits
  constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
  if (!(x >= kLowest)) return 0;
  const double n = floor(x * kLog2E + 0.5);
  const double r = (x - n * kLn2High) - n * kLn2Low;
  double sum = 1;
  for (int k = 13; k > 0; --k) sum = 1 + r / k * sum;
  return ldexp(sum, static_cast<int>(n));
}

}  // namespace assay
