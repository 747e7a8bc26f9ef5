// IEEE binary16 and bfloat16 <-> binary32, round to nearest even, in plain integer arithmetic, so
// that every instruction set gives the same bits. SIMD kernels use F16C, which agrees with these
// bit for bit for all finite values and infinities (NaN payloads are not part of the contract).
#pragma once

#include <bit>
#include <cstdint>

namespace assay {

inline float half_to_float(std::uint16_t h) {
  const std::uint32_t sign = static_cast<std::uint32_t>(h & 0x8000u) << 16;
  const std::uint32_t exponent = (h >> 10) & 0x1fu;
  const std::uint32_t mantissa = h & 0x3ffu;
  if (exponent == 0x1fu) return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
  if (exponent != 0) {
    return std::bit_cast<float>(sign | ((exponent + 112u) << 23) | (mantissa << 13));
  }
  // Subnormal or zero: mantissa * 2^-24 is exact in binary32.
  const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
}

inline std::uint16_t float_to_half(float f) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(f);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<std::uint16_t>(sign | 0x7e00u);   // NaN
  if (magnitude >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u);  // overflow, inf
  if (magnitude < 0x33000001u) return static_cast<std::uint16_t>(sign);  // rounds to zero
  if (magnitude < 0x38800000u) {                                         // subnormal result
    const std::uint32_t shift = 126u - (magnitude >> 23);                // 14..24
    const std::uint32_t full = (magnitude & 0x7fffffu) | 0x800000u;
    const std::uint32_t kept = full >> shift;
    const std::uint32_t rest = full & ((1u << shift) - 1u);
    const std::uint32_t halfway = 1u << (shift - 1u);
    const std::uint32_t up = (rest > halfway || (rest == halfway && (kept & 1u))) ? 1u : 0u;
    return static_cast<std::uint16_t>(sign | (kept + up));
  }
  const std::uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
  return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
}

// bfloat16 is the upper half of a binary32.
inline float bfloat_to_float(std::uint16_t b) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(b) << 16);
}

inline std::uint16_t float_to_bfloat(float f) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(f);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>(bits >> 16 | 0x40u);
  return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

}  // namespace assay
