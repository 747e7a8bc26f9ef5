// Attention of a block of query rows over K/V tiles with an online softmax, in plain C++.
//
// The numeric contract, kept by every variant with the same tile length `tkv`:
//   q' = q * scale. Tiles of tkv positions from position 0; a row stops at its own last position.
//   s_j = q' . k_j: lanes of kernels/lanes.h over head_dim.
//   m' = max(m, s_j of the tile); c = e^(m - m'); p_j = e^(s_j - m').
//   weight = weight * c + (p_j of the tile: lane j % 8, tree); sum = sum * c + (p_0 v_0 + p_1 v_1 +
//   ...). out = sum / weight.
// The tile length decides which maximum a weight is taken against and how the sums associate, so
// another tkv gives other bits; blocking rows, threads and instruction sets do not. A tile of K and
// V is turned into f32 once for all rows of the block. Positions at or beyond a row's end are never
// multiplied by a zero weight: unused cache may hold NaN.
//
// Rejected: subtracting the global maximum (two passes over K), and starting from -inf (its
// difference with itself is NaN).
#pragma once

#include <bit>

#include "kernels/attention_rows.h"
#include "kernels/exp.h"
#include "kernels/lanes.h"
#include "kernels/ranges.h"

namespace assay {

// half_to_float without branches, so that a compiler can do several at once: the magnitude's bits
// moved to f32 places are the value times 2^-112, subnormals included; infinities and NaN get their
// exponent back.
static inline float widen_half(std::uint16_t h) {
  const std::uint32_t magnitude = static_cast<std::uint32_t>(h & 0x7fffu) << 13;
  const float scaled = std::bit_cast<float>(magnitude) * 0x1p112f;
  const std::uint32_t sign = static_cast<std::uint32_t>(h & 0x8000u) << 16;
  const std::uint32_t special = magnitude >= 0x0f800000u ? 0x7f800000u : 0u;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | sign | special);
}

// rows (length, head_dim) of f16 at `stride` -> to (length, head_dim)
static inline void load_tile(const std::uint16_t* from, std::int64_t stride, int length,
                             int head_dim, float* __restrict to) {
  for (int j = 0; j < length; ++j) {
    for (int i = 0; i < head_dim; ++i) to[j * head_dim + i] = widen_half(from[j * stride + i]);
  }
}

// One row and one tile of `count` >= 1 positions. k, v (count, head_dim) in f32; q, sum, partial
// (head_dim); maximum, weight (1).
template <int tkv>
static void attend_tile(const float* q, const float* k, const float* v, int count, int head_dim,
                        float* maximum, float* weight, float* sum, float* __restrict partial) {
  float p[tkv];
  float top = *maximum;
  for (int j = 0; j < count; ++j) {
    const float* key = k + j * head_dim;
    float lane[kLanes] = {};
    for (int i = 0; i < head_dim; i += kLanes) {
      for (int n = 0; n < kLanes; ++n) lane[n] += q[i + n] * key[i + n];
    }
    p[j] = sum_lanes(lane);
    top = p[j] > top ? p[j] : top;
  }
  float lane[kLanes] = {};
  for (int j = 0; j < count; ++j) {
    p[j] = exp_f32(p[j] - top);
    lane[j % kLanes] += p[j];
  }
  const float correction = exp_f32(*maximum - top);
  *maximum = top;
  *weight = *weight * correction + sum_lanes(lane);
  for (int i = 0; i < head_dim; ++i) partial[i] = 0.0f;
  for (int j = 0; j < count; ++j) {
    const float* value = v + j * head_dim;
    for (int i = 0; i < head_dim; ++i) partial[i] += p[j] * value[i];
  }
  for (int i = 0; i < head_dim; ++i) sum[i] = sum[i] * correction + partial[i];
}

template <int tkv>
static void attend_rows(const AttentionRows& block) {
  const int d = block.head_dim;
  auto* scratch = static_cast<float*>(thread_scratch(attention_scratch(block, (2 * tkv + 1) * d)));
  const AttentionState state = start_attention(block, scratch);
  float* k = state.rest;
  float* v = k + tkv * d;
  float* partial = v + tkv * d;
  const int longest = attention_count(block, block.rows - 1);
  for (int start = 0; start < longest; start += tkv) {
    const int length = longest - start < tkv ? longest - start : tkv;
    load_tile(block.k + start * block.position_stride, block.position_stride, length, d, k);
    load_tile(block.v + start * block.position_stride, block.position_stride, length, d, v);
    for (int r = 0; r < block.rows; ++r) {
      const int left = attention_count(block, r) - start;
      if (left <= 0) continue;
      attend_tile<tkv>(state.q + r * d, k, v, left < length ? left : length, d, state.maximum + r,
                       state.weight + r, state.sum + r * d, partial);
    }
  }
  for (int r = 0; r < block.rows; ++r) {
    float* out = block.out + attention_offset(block, r);
    for (int i = 0; i < d; ++i) out[i] = state.sum[r * d + i] / state.weight[r];
  }
}

}  // namespace assay
