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

inline void unpack_q6k(const BlockQ6K& block, UnpackedQ6K& out) {
  for (int half = 0; half < 2; ++half) {
    std::int16_t* q = out.q + half * 128;
    for (int i = 0; i < 32; ++i) {
      const int low = block.low[half * 64 + i];
      const int next = block.low[half * 64 + 32 + i];
      const int high = block.high[half * 32 + i];
      q[i] = static_cast<std::int16_t>(((low & 0x0f) | (high & 0x03) << 4) - 32);
      q[i + 32] = static_cast<std::int16_t>(((next & 0x0f) | (high & 0x0c) << 2) - 32);
      q[i + 64] = static_cast<std::int16_t>((low >> 4 | (high & 0x30)) - 32);
      q[i + 96] = static_cast<std::int16_t>((next >> 4 | (high & 0xc0) >> 2) - 32);
    }
  }
  for (int s = 0; s < 16; ++s) {
    const std::int16_t scale = block.scales[s];
    std::int16_t* q = out.q + s * 16;
    for (int i = 0; i < 16; ++i) q[i] = static_cast<std::int16_t>(q[i] * scale);
  }
  out.d = half_to_float(block.d);
}

// out[i] = row . x[first + i] for kTokens rows of activations.
template <int kTokens>
inline void dot_q6k(const BlockQ6K* row, const WideRows& x, int first, int k, float* out) {
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
