// q6_K rows times quantised activations in plain C++.
//
// As portable_q4k.h: a 256-block is unpacked once (codes minus 32, 16 bits wide) and meets kTokens
// activation rows. A lane's term takes two sub-blocks of 16, joined as integers by their int8
// scales; the sum stays below 2^24 and is exact in f32.
#pragma once

#include <cstdint>

#include "kernels/blocks.h"
#include "kernels/matvec/lane_sum.h"
#include "kernels/quantize_activations/quantize_activations.h"

namespace assay {

struct UnpackedQ6K {
  std::int16_t q[256];  // -32..31
  std::int32_t scale[16];
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
  for (int s = 0; s < 16; ++s) out.scale[s] = block.scales[s];
  out.d = half_to_float(block.d);
}

// Sum of 16 products of a code and an activation code.
inline std::int32_t dot_16(const std::int16_t* w, const std::int8_t* x) {
  std::int32_t sum = 0;
  for (int i = 0; i < 16; ++i) sum += w[i] * static_cast<std::int16_t>(x[i]);
  return sum;
}

// out[i] = row . xq[first + i] for kTokens rows of activations.
template <int kTokens>
inline void dot_q6k(const BlockQ6K* row, const QuantizedRows& xq, int first, int k, float* out) {
  float lanes[kTokens][8] = {};
  UnpackedQ6K w;
  for (int b = 0; b < k / 256; ++b) {
    unpack_q6k(row[b], w);
    for (int i = 0; i < kTokens; ++i) {
      const std::int64_t at = static_cast<std::int64_t>(first + i) * k + b * 256;
      const std::int8_t* x = xq.q + at;
      const float* d = xq.d + at / 32;
      for (int j = 0; j < 8; ++j) {
        const std::int32_t dot = w.scale[2 * j] * dot_16(w.q + 32 * j, x + 32 * j) +
                                 w.scale[2 * j + 1] * dot_16(w.q + 32 * j + 16, x + 32 * j + 16);
        lanes[i][j] += (w.d * static_cast<float>(dot)) * d[j];
      }
    }
  }
  for (int i = 0; i < kTokens; ++i) out[i] = sum_lanes(lanes[i]);
}

}  // namespace assay
