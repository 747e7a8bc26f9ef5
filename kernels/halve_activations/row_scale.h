// The scale of a row of halves, from the largest finite magnitude in it.
#pragma once

#include <bit>
#include <cstdint>

namespace assay {

// As HalveActivationsArgs says: a power of two, an exact f32. Exponents are moved as integers, so
// that host and device agree without a library.
constexpr float half_row_scale(float amax) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(amax);
  const int exponent =
      static_cast<int>(bits >> 23) - 127;  // amax in [2^exponent, 2^(exponent + 1))
  if (amax == 0 || (exponent >= -8 && exponent < 15) || bits == (142u << 23)) return 1.0f;
  if (exponent >= 15)
    return std::bit_cast<float>(static_cast<std::uint32_t>(exponent - 14 + 127) << 23);
  if (exponent > -127)
    return std::bit_cast<float>(static_cast<std::uint32_t>(exponent + 127) << 23);
  return 0x1p-126f;  // subnormal rows: below [1, 2), but not divided by a subnormal
}

}  // namespace assay
