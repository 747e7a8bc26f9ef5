// The arithmetic of drawing a token (sampling.h), one definition for the host and for a GPU.
//
// Everything that is added up is an integer, so that a sum is the same in any order: a GPU adds by
// thousands of threads. The weight of a logit is its probability relative to the largest one, in
// units of 2^-44. 2^20 weights fit in 64 bits. A logit whose relative probability is at most 2^-45
// has weight 0 and is never drawn; all of them together would be drawn less than once in 10^8 draws
// of a vocabulary of 152,064.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "engine/backend/row/exp_f64.h"
#include "engine/core/mix64.h"
#include "kernels/host_device.h"

namespace assay::draw_arithmetic {

inline constexpr std::int32_t kMostTokens = 1 << 20;  // of a vocabulary that can be drawn from
inline constexpr double kUnit = 0x1p44;               // weight of the largest logit
inline constexpr int kRandomBits = 53;

// Keys order logits by value, equal ones by lowest id first; a larger key is likelier. 52 bits: the
// value's order above 20 of the id. 0 for NaN, above 0 for every other logit.
ASSAY_HOST_DEVICE inline std::uint64_t key_of(float logit, std::int32_t id) {
  if (logit != logit) return 0;
  const float value = logit + 0.0f;  // -0 and 0 are equal
  std::uint32_t bits = 0;
  memcpy(&bits, &value, sizeof bits);
  const std::uint32_t order = bits >> 31 != 0 ? ~bits : bits | 0x80000000u;
  return static_cast<std::uint64_t>(order) << 20 | static_cast<std::uint32_t>(kMostTokens - 1 - id);
}

// At most 2^44.
ASSAY_HOST_DEVICE inline std::uint64_t weight_of(float logit, float largest, double temperature) {
  if (logit == largest) return static_cast<std::uint64_t>(kUnit);  // also where both are infinite
  const double x = (static_cast<double>(logit) - static_cast<double>(largest)) / temperature;
  if (!(x > -32)) return 0;  // e^-32 is below half a unit
  return static_cast<std::uint64_t>(rint(exp_f64(x) * kUnit));
}

// floor(a * b / 2^53), exactly; a at most 2^53.
ASSAY_HOST_DEVICE inline std::uint64_t share_of(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(a) * b >> kRandomBits);
}

// Top-p as a multiple of 2^-53, at least one; 2^53 for 1 and more: nothing is cut.
inline std::uint64_t fixed_p(double p) {
  if (p >= 1) return std::uint64_t{1} << kRandomBits;
  const double scaled = std::rint(p * 0x1p53);
  return scaled >= 1 ? static_cast<std::uint64_t>(scaled) : 1;
}

// The mass that top-p wants: p * total, rounded up; at least 1 where there is any.
ASSAY_HOST_DEVICE inline std::uint64_t wanted_mass(std::uint64_t p, std::uint64_t total) {
  const auto product = static_cast<unsigned __int128>(p) * total;
  constexpr auto kAlmostOne = (std::uint64_t{1} << kRandomBits) - 1;
  return static_cast<std::uint64_t>((product + kAlmostOne) >> kRandomBits);
}

// The random number of a step: 53 bits.
inline std::uint64_t random_number(std::int32_t seed, int step) {
  std::uint64_t z = static_cast<std::uint64_t>(static_cast<std::uint32_t>(seed)) << 32;
  z = (z + static_cast<std::uint64_t>(step) + 1) * kMix64Step;
  return mix64(z) >> (64 - kRandomBits);
}

}  // namespace assay::draw_arithmetic
