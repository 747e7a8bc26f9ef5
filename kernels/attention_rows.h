// A block of query rows that read the same K/V head, and where its working memory lies.
//
// Both attention ops reduce to this: decode hands over the query heads of one token, prefill a run
// of tokens times the query heads of a group. kernels/online_softmax.h and online_softmax_avx2.h
// compute it with the same additions in the same order per row, however rows are blocked. Functions
// here are static: an inline one compiled for AVX2 could be linked into portable code.
#pragma once

#include <cstdint>

namespace assay {

// Row r is query head r % group of token r / group; it attends to positions
// 0 .. first_count + r / group - 1.
struct AttentionRows {
  const float* q;                // row r at (r / group) * token_stride + (r % group) * head_dim
  const std::uint16_t* k;        // f16, position p at p * position_stride, head_dim elements
  const std::uint16_t* v;        // as k
  float* out;                    // as q
  std::int64_t token_stride;     // elements
  std::int64_t position_stride;  // elements
  int rows;
  int group;
  int first_count;  // >= 1
  int head_dim;     // multiple of 8
  float scale;
};

static inline int attention_count(const AttentionRows& block, int row) {
  return block.first_count + row / block.group;
}

static inline std::int64_t attention_offset(const AttentionRows& block, int row) {
  return (row / block.group) * block.token_stride +
         static_cast<std::int64_t>(row % block.group) * block.head_dim;
}

// Running state of the rows in one piece of scratch memory.
struct AttentionState {
  float* q;        // (rows, head_dim): scale * q
  float* sum;      // (rows, head_dim): weighted sum of V so far
  float* maximum;  // (rows)
  float* weight;   // (rows): sum of the weights so far
  float* rest;     // what the kernel asked for beyond these
};

// Bytes of the state, `rest` floats included.
static inline std::int64_t attention_scratch(const AttentionRows& block, std::int64_t rest) {
  const std::int64_t per_row = 2 * static_cast<std::int64_t>(block.head_dim) + 16;
  return (block.rows * per_row + rest) * static_cast<std::int64_t>(sizeof(float));
}

// The largest score before the first tile: finite, so that no step subtracts infinities.
inline constexpr float kAttentionStart = -3.402823466e38f;

// Fills the state: scaled Q, sums 0.
static inline AttentionState start_attention(const AttentionRows& block, float* scratch) {
  AttentionState state;
  const std::int64_t plane = static_cast<std::int64_t>(block.rows) * block.head_dim;
  state.q = scratch;
  state.sum = state.q + plane;
  state.maximum = state.sum + plane;
  state.weight = state.maximum + 8 * static_cast<std::int64_t>(block.rows);
  state.rest = state.weight + 8 * static_cast<std::int64_t>(block.rows);
  for (int r = 0; r < block.rows; ++r) {
    const float* q = block.q + attention_offset(block, r);
    for (int i = 0; i < block.head_dim; ++i) {
      state.q[r * block.head_dim + i] = q[i] * block.scale;
      state.sum[r * block.head_dim + i] = 0.0f;
    }
    state.maximum[r] = kAttentionStart;
    state.weight[r] = 0.0f;
  }
  return state;
}

}  // namespace assay
