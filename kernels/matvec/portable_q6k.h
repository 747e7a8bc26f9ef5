// q6_K rows times quantised activations in plain C++.
//
// As portable_q4k.h. Unpacking multiplies the codes (-32..31) by their int8 scales: 32 * 128 fits
// 16 bits, and a lane's 32 products then sum to the integer that the contract wants, below 2^24.
#pragma once

#include <cstdint>

#include "kernels/blocks.h"
#include "kernels/matvec/lane_sum.h"
#include "kernels/matvec/wide_activations.h"

namespace assay {

struct UnpackedQ6K {
  std::int16_t q[256];  // (code - 32) * scale
  float d;
};

// 128 codes minus 32 from 64 bytes of low nibbles and 32 bytes of high pairs.
inline void unpack_half_q6k(const std::uint8_t* __restrict low, const std::uint8_t* __restrict high,
                            std::int16_t* __restrict q) {
  for (int i = 0; i < 32; ++i) {
    const auto first = static_cast<std::uint8_t>((low[i] & 0x0f) | (high[i] & 0x03) << 4);
    const auto second = static_cast<std::uint8_t>((low[i + 32] & 0x0f) | (high[i] & 0x0c) << 2);
    const auto third = static_cast<std::uint8_t>(low[i] >> 4 | (high[i] & 0x30));
    const auto fourth = static_cast<std::uint8_t>(low[i + 32] >> 4 | (high[i] & 0xc0) >> 2);
    q[i] = static_cast<std::int16_t>(first - 32);
    q[i + 32] = static_cast<std::int16_t>(second - 32);
    q[i + 64] = static_cast<std::int16_t>(third - 32);
    q[i + 96] = static_cast<std::int16_t>(fourth - 32);
  }
}

// q (32) *= low for the first 16 and high for the others. By way of an array of factors: GCC 12
// turns the plain loop over sub-blocks into element-wise moves, at a third of the speed.
inline void scale_32(std::int16_t* __restrict q, std::int16_t low, std::int16_t high) {
  std::int16_t factor[32];
  for (int i = 0; i < 32; ++i) factor[i] = i < 16 ? low : high;
  for (int i = 0; i < 32; ++i) q[i] = static_cast<std::int16_t>(q[i] * factor[i]);
}

inline void unpack_q6k(const BlockQ6K& block, UnpackedQ6K& out) {
  unpack_half_q6k(block.low, block.high, out.q);
  unpack_half_q6k(block.low + 64, block.high + 32, out.q + 128);
  for (int j = 0; j < 8; ++j) {
    scale_32(out.q + 32 * j, block.scales[2 * j], block.scales[2 * j + 1]);
  }
  out.d = half_to_float(block.d);
}

// out[i] = row . x[first + i] for kTokens rows of activations.
template <int kTokens>
inline void dot_wide(const BlockQ6K* row, const WideRows& x, int first, int k, float* out) {
  float lanes[kTokens][8] = {};
  UnpackedQ6K w;
  for (int b = 0; b < k / 256; ++b) {
    unpack_q6k(row[b], w);
    for (int i = 0; i < kTokens; ++i) {
      const std::int64_t at = static_cast<std::int64_t>(first + i) * k + b * 256;
      const float* d = x.d + at / 32;
      std::int32_t dots[8];
      for (int j = 0; j < 8; ++j) dots[j] = dot_32(w.q + 32 * j, x.q + at + 32 * j);
      for (int j = 0; j < 8; ++j) lanes[i][j] += (w.d * static_cast<float>(dots[j])) * d[j];
    }
  }
  for (int i = 0; i < kTokens; ++i) out[i] = sum_lanes(lanes[i]);
}

}  // namespace assay
