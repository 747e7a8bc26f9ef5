// e^x in f32, as one fixed sequence of IEEE additions and multiplications.
//
// The C library's expf differs from machine to machine and has no vector form that agrees with it,
// so softmax and SwiGLU would not give the same bits on every instruction set. This one does:
// kernels/exp_avx2.h performs the same operations in the same order on eight lanes, and a GPU runs
// this very function.
//
// Method: x = n ln 2 + r with n = rint(x / ln 2) by adding and subtracting 1.5 x 2^23; ln 2 is
// split in two so that n * kLn2High is exact; e^r = 1 + r + r^2 P(r) with P of degree 4, fitted to
// |r| <= ln 2 / 2 (relative error of the fit 4e-9); 2^n as a product of two powers, so that n = 128
// needs no special case. Largest error found: exp_test.cpp. Below -87.33654 the result is exactly
// 0 (no subnormals, so that a score far below the maximum costs nothing); above 88.72283 it is
// infinite; NaN stays NaN.
#pragma once

#include <bit>
#include <cstdint>

#include "kernels/host_device.h"

namespace assay {

namespace exp_constants {
inline constexpr float kLowest = -87.33654f;  // e^x is 2^-126 here
inline constexpr float kHighest = 88.72283f;  // the last x with a finite e^x
inline constexpr float kLog2E = 1.44269504f;
inline constexpr float kRound = 12582912.0f;       // 1.5 x 2^23
inline constexpr float kLn2High = 0.693359375f;    // 9 bits
inline constexpr float kLn2Low = -2.12194440e-4f;  // ln 2 - kLn2High
inline constexpr float kP0 = 0x1.fffffcp-2f;
inline constexpr float kP1 = 0x1.555492p-3f;
inline constexpr float kP2 = 0x1.5558f2p-5f;
inline constexpr float kP3 = 0x1.123a2p-7f;
inline constexpr float kP4 = 0x1.6a23ccp-10f;
inline constexpr float kInfinity = __builtin_inff();
}  // namespace exp_constants

ASSAY_HOST_DEVICE inline float exp_f32(float x) {
  using namespace exp_constants;
  if (x < kLowest) return 0.0f;
  if (x > kHighest) return kInfinity;
  const float shifted = x * kLog2E + kRound;
  const float n = shifted - kRound;
  const float r = (x - n * kLn2High) - n * kLn2Low;
  float p = kP4 * r + kP3;
  p = p * r + kP2;
  p = p * r + kP1;
  p = p * r + kP0;
  const float y = (p * (r * r) + r) + 1.0f;
  const std::int32_t whole = static_cast<std::int32_t>(std::bit_cast<std::uint32_t>(shifted) -
                                                       std::bit_cast<std::uint32_t>(kRound));
  const std::int32_t half = whole >> 1;
  const std::uint32_t first = (static_cast<std::uint32_t>(half) + 127u) << 23;
  const std::uint32_t second = (static_cast<std::uint32_t>(whole - half) + 127u) << 23;
  return (y * std::bit_cast<float>(first)) * std::bit_cast<float>(second);
}

}  // namespace assay
