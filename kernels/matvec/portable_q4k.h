// q4_K rows times quantised activations in plain C++.
//
// A 256-block is unpacked once (codes widened to 16 bits, scales and mins to f32) and then meets
// kTokens activation rows. Terms and their order: kernels/matvec/README.md.
#pragma once

#include <cstdint>

#include "kernels/blocks.h"
#include "kernels/matvec/lane_sum.h"
#include "kernels/matvec/wide_activations.h"

namespace assay {

struct UnpackedQ4K {
  std::int16_t q[256];
  float scale[8];  // d * scale, exact
  float min[8];    // dmin * min, exact
};

inline void unpack_q4k(const BlockQ4K& block, UnpackedQ4K& out) {
  for (int group = 0; group < 4; ++group) {
    for (int i = 0; i < 32; ++i) {
      const std::uint8_t byte = block.q[group * 32 + i];
      out.q[group * 64 + i] = static_cast<std::int16_t>(byte & 0x0f);
      out.q[group * 64 + 32 + i] = static_cast<std::int16_t>(byte >> 4);
    }
  }
  const float d = half_to_float(block.d);
  const float dmin = half_to_float(block.dmin);
  for (int j = 0; j < 8; ++j) {
    const ScaleMin sm = q4k_scale_min(block.scales, j);
    out.scale[j] = d * static_cast<float>(sm.scale);
    out.min[j] = dmin * static_cast<float>(sm.min);
  }
}

// out[i] = row . x[first + i] for kTokens rows of activations.
template <int kTokens>
inline void dot_wide(const BlockQ4K* row, const WideRows& x, int first, int k, float* out) {
  float lanes[kTokens][8] = {};
  UnpackedQ4K w;
  for (int b = 0; b < k / 256; ++b) {
    unpack_q4k(row[b], w);
    for (int i = 0; i < kTokens; ++i) {
      const std::int64_t at = static_cast<std::int64_t>(first + i) * k + b * 256;
      const float* d = x.d + at / 32;
      const std::int16_t* sum = x.sum + at / 32;
      std::int32_t dots[8];
      for (int j = 0; j < 8; ++j) dots[j] = dot_32(w.q + 32 * j, x.q + at + 32 * j);
      for (int j = 0; j < 8; ++j) {
        const float high = w.scale[j] * static_cast<float>(dots[j]);
        const float low = w.min[j] * static_cast<float>(sum[j]);
        lanes[i][j] += (high - low) * d[j];
      }
    }
  }
  for (int i = 0; i < kTokens; ++i) out[i] = sum_lanes(lanes[i]);
}

}  // namespace assay
