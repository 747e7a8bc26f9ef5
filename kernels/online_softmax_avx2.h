// The attention of kernels/online_softmax.h in AVX2 and F16C: same additions, same order, same
// bits.
//
// Up to four rows share each load and conversion of K and V. For scores, two positions times four
// rows make eight independent chains of lane sums, enough to hide the latency of an addition; for
// the weighted sum, two registers of head_dim times four rows. Where rows of a group end at
// different positions (the diagonal of a causal batch), the common part is done together and the
// rest row by row, in rising order of positions either way. Multiplications and additions stay
// apart: an FMA would change the bits.
//
// Included by files compiled for AVX2 only; everything is static.
#pragma once

#include <immintrin.h>

#include "kernels/attention_rows.h"
#include "kernels/exp_avx2.h"
#include "kernels/lanes_avx2.h"
#include "kernels/ranges.h"

namespace assay {

inline constexpr int kAttentionRowsAvx2 = 4;

// Eight f16 values as f32.
static inline __m256 load_half8(const std::uint16_t* from) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}

// score[r * tkv + j] = q[r] . k[j] for R rows and the J positions j .. j + J - 1.
// q (R, head_dim), k f16 at `stride`.
template <int R, int J, int tkv>
static inline void score_positions(const float* q, const std::uint16_t* k, std::int64_t stride,
                                   int head_dim, int j, float* score) {
  __m256 lanes[R][J];
  for (int r = 0; r < R; ++r) {
    for (int n = 0; n < J; ++n) lanes[r][n] = _mm256_setzero_ps();
  }
  for (int i = 0; i < head_dim; i += 8) {
    __m256 key[J];
    for (int n = 0; n < J; ++n) key[n] = load_half8(k + (j + n) * stride + i);
    for (int r = 0; r < R; ++r) {
      const __m256 query = _mm256_loadu_ps(q + r * head_dim + i);
      for (int n = 0; n < J; ++n) {
        lanes[r][n] = _mm256_add_ps(lanes[r][n], _mm256_mul_ps(query, key[n]));
      }
    }
  }
  for (int r = 0; r < R; ++r) {
    for (int n = 0; n < J; ++n) score[r * tkv + j + n] = sum_lanes_avx2(lanes[r][n]);
  }
}

// partial[r][w] += p[r * tkv + j] * v[j] for positions first .. last - 1 in rising order.
template <int R, int W, int tkv>
static inline void weigh_positions(const float* p, const std::uint16_t* v, std::int64_t stride,
                                   int first, int last, __m256 (&partial)[R][W]) {
  for (int j = first; j < last; ++j) {
    __m256 value[W];
    for (int w = 0; w < W; ++w) value[w] = load_half8(v + j * stride + 8 * w);
    for (int r = 0; r < R; ++r) {
      const __m256 weight = _mm256_broadcast_ss(p + r * tkv + j);
      for (int w = 0; w < W; ++w) {
        partial[r][w] = _mm256_add_ps(partial[r][w], _mm256_mul_ps(weight, value[w]));
      }
    }
  }
}

// 8 W elements of R rows' sums. count (R) rising; v and sum point at the elements.
template <int R, int W, int tkv>
static inline void weigh_columns(const float* p, const std::uint16_t* v, std::int64_t stride,
                                 const int* count, const float* correction, int head_dim,
                                 float* sum) {
  __m256 partial[R][W];
  for (int r = 0; r < R; ++r) {
    for (int w = 0; w < W; ++w) partial[r][w] = _mm256_setzero_ps();
  }
  weigh_positions<R, W, tkv>(p, v, stride, 0, count[0], partial);
  for (int r = 0; r < R; ++r) {
    __m256 own[1][W];
    for (int w = 0; w < W; ++w) own[0][w] = partial[r][w];
    weigh_positions<1, W, tkv>(p + r * tkv, v, stride, count[0], count[r], own);
    const __m256 scale = _mm256_set1_ps(correction[r]);
    for (int w = 0; w < W; ++w) {
      float* to = sum + r * head_dim + 8 * w;
      _mm256_storeu_ps(to, _mm256_add_ps(_mm256_mul_ps(_mm256_loadu_ps(to), scale), own[0][w]));
    }
  }
}

// Scores (count valid, room for a multiple of 8) become weights; returns the factor of what was
// summed before.
static inline float weigh_scores(float* p, int count, float* maximum, float* weight) {
  const __m256 lowest = _mm256_set1_ps(-exp_constants::kInfinity);
  const int whole = (count + 7) / 8 * 8;
  if (whole != count) {
    float* tail = p + whole - 8;
    const __m256i valid = first_lanes_avx2(count - (whole - 8));
    const __m256 kept = _mm256_blendv_ps(lowest, _mm256_loadu_ps(tail), _mm256_castsi256_ps(valid));
    _mm256_storeu_ps(tail, kept);
  }
  __m256 top = _mm256_set1_ps(*maximum);
  for (int j = 0; j < whole; j += 8) top = _mm256_max_ps(_mm256_loadu_ps(p + j), top);
  __m128 four = _mm_max_ps(_mm256_castps256_ps128(top), _mm256_extractf128_ps(top, 1));
  four = _mm_max_ps(four, _mm_movehl_ps(four, four));
  four = _mm_max_ss(four, _mm_movehdup_ps(four));
  const float highest = _mm_cvtss_f32(four);
  const __m256 subtract = _mm256_set1_ps(highest);
  __m256 lanes = _mm256_setzero_ps();
  for (int j = 0; j < whole; j += 8) {
    const __m256 e = exp_f32_avx2(_mm256_sub_ps(_mm256_loadu_ps(p + j), subtract));
    _mm256_storeu_ps(p + j, e);
    lanes = _mm256_add_ps(lanes, e);
  }
  const float correction = _mm256_cvtss_f32(exp_f32_avx2(_mm256_set1_ps(*maximum - highest)));
  *maximum = highest;
  *weight = *weight * correction + sum_lanes_avx2(lanes);
  return correction;
}

// R rows from row `first` and the tile at position `start`; each row has at least one position in
// it.
template <int R, int tkv>
static void attend_tile(const AttentionRows& block, const AttentionState& state, int first,
                        int start) {
  alignas(32) float p[R * tkv];
  const int d = block.head_dim;
  const std::int64_t stride = block.position_stride;
  const std::uint16_t* k = block.k + start * stride;
  const std::uint16_t* v = block.v + start * stride;
  const float* q = state.q + first * d;
  int count[R];
  for (int r = 0; r < R; ++r) {
    const int left = attention_count(block, first + r) - start;
    count[r] = left < tkv ? left : tkv;
  }
  int j = 0;
  for (; j + 2 <= count[0]; j += 2) score_positions<R, 2, tkv>(q, k, stride, d, j, p);
  for (; j < count[0]; ++j) score_positions<R, 1, tkv>(q, k, stride, d, j, p);
  float correction[R];
  for (int r = 0; r < R; ++r) {
    for (int n = count[0]; n < count[r]; ++n) {
      score_positions<1, 1, tkv>(q + r * d, k, stride, d, n, p + r * tkv);
    }
    correction[r] =
        weigh_scores(p + r * tkv, count[r], state.maximum + first + r, state.weight + first + r);
  }
  float* sum = state.sum + first * d;
  int i = 0;
  for (; i + 16 <= d; i += 16) {
    weigh_columns<R, 2, tkv>(p, v + i, stride, count, correction, d, sum + i);
  }
  for (; i < d; i += 8) {
    weigh_columns<R, 1, tkv>(p, v + i, stride, count, correction, d, sum + i);
  }
}

template <int tkv>
static void attend_rows_avx2(const AttentionRows& block) {
  const int d = block.head_dim;
  auto* scratch = static_cast<float*>(thread_scratch(attention_scratch(block, 0)));
  const AttentionState state = start_attention(block, scratch);
  const int longest = attention_count(block, block.rows - 1);
  for (int start = 0; start < longest; start += tkv) {
    int r = 0;
    while (r < block.rows && attention_count(block, r) <= start) ++r;  // these rows are done
    for (; r + kAttentionRowsAvx2 <= block.rows; r += kAttentionRowsAvx2) {
      attend_tile<kAttentionRowsAvx2, tkv>(block, state, r, start);
    }
    const int left = block.rows - r;
    if (left == 3) attend_tile<3, tkv>(block, state, r, start);
    if (left == 2) attend_tile<2, tkv>(block, state, r, start);
    if (left == 1) attend_tile<1, tkv>(block, state, r, start);
  }
  for (int r = 0; r < block.rows; ++r) {
    float* out = block.out + attention_offset(block, r);
    const __m256 weight = _mm256_set1_ps(state.weight[r]);
    for (int i = 0; i < d; i += 8) {
      _mm256_storeu_ps(out + i, _mm256_div_ps(_mm256_loadu_ps(state.sum + r * d + i), weight));
    }
  }
}

}  // namespace assay
