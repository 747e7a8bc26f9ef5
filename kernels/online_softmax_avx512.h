// The attention of kernels/online_softmax.h with sixteen query rows in the lanes of a register:
// same additions, same order, same bits.
//
// A lane is a row, so nothing is added across lanes: the eight partial sums of a score are eight
// registers, a K or V element is broadcast from a tile that was turned into f32 once for all rows
// of the block, and the exponentials of sixteen rows are computed together. Q and the sums lie
// transposed, (head_dim, 16). Where rows end at different positions (the diagonal of a causal
// batch), masks keep a position away from the rows that must not see it: it may hold NaN.
//
// Included by files compiled for AVX-512 only; everything is static.
#pragma once

#include <immintrin.h>

#include "kernels/attention_rows.h"
#include "kernels/exp_avx512.h"
#include "kernels/ranges.h"

namespace assay {

// Sixteen rows; rows beyond the block's end repeat its last one and are never stored.
struct LaneRows {
  float* q;        // (head_dim, 16): scale * q
  float* sum;      // (head_dim, 16)
  float* maximum;  // (16)
  float* weight;   // (16)
  __m512i count;   // positions that each row attends to
  int longest;
};

// (length, head_dim) of f16 at `stride` -> f32, contiguous.
static inline void widen_tile(const std::uint16_t* from, std::int64_t stride, int length,
                              int head_dim, float* to) {
  for (int j = 0; j < length; ++j) {
    for (int i = 0; i < head_dim; i += 8) {
      const __m128i half = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + j * stride + i));
      _mm256_storeu_ps(to + j * head_dim + i, _mm256_cvtph_ps(half));
    }
  }
}

// ((0+4)+(2+6)) + ((1+5)+(3+7)).
static inline __m512 join_lanes(const __m512 lane[8]) {
  const __m512 even =
      _mm512_add_ps(_mm512_add_ps(lane[0], lane[4]), _mm512_add_ps(lane[2], lane[6]));
  const __m512 odd =
      _mm512_add_ps(_mm512_add_ps(lane[1], lane[5]), _mm512_add_ps(lane[3], lane[7]));
  return _mm512_add_ps(even, odd);
}

// Scores of J positions, k (J, head_dim) -> p (J, 16).
template <int J>
static inline void score_lanes(const float* q, const float* k, int head_dim, float* p) {
  __m512 lane[J][8];
  for (int n = 0; n < J; ++n) {
    for (__m512& sum : lane[n]) sum = _mm512_setzero_ps();
  }
  for (int i = 0; i < head_dim; i += 8) {
    for (int c = 0; c < 8; ++c) {
      const __m512 query = _mm512_load_ps(q + (i + c) * 16);
      for (int n = 0; n < J; ++n) {
        const __m512 product = _mm512_mul_ps(query, _mm512_set1_ps(k[n * head_dim + i + c]));
        lane[n][c] = _mm512_add_ps(lane[n][c], product);
      }
    }
  }
  for (int n = 0; n < J; ++n) _mm512_store_ps(p + n * 16, join_lanes(lane[n]));
}

// Rows that see position `at`.
static inline __mmask16 rows_that_see(const LaneRows& rows, int at) {
  return _mm512_cmpgt_epi32_mask(rows.count, _mm512_set1_epi32(at));
}

// Scores (length, 16) become weights; returns the factors of what was summed before.
static inline __m512 weigh_lanes(const LaneRows& rows, float* p, int start, int length) {
  const __m512 before = _mm512_load_ps(rows.maximum);
  __m512 top = before;
  for (int j = 0; j < length; ++j) {
    const __m512 score = _mm512_load_ps(p + j * 16);
    top = _mm512_mask_max_ps(top, rows_that_see(rows, start + j), score, top);
  }
  __m512 lane[8];
  for (__m512& sum : lane) sum = _mm512_setzero_ps();
  for (int j = 0; j < length; ++j) {
    const __m512 e = exp_f32_avx512(_mm512_sub_ps(_mm512_load_ps(p + j * 16), top));
    const __m512 seen = _mm512_maskz_mov_ps(rows_that_see(rows, start + j), e);
    _mm512_store_ps(p + j * 16, seen);
    lane[j % 8] = _mm512_add_ps(lane[j % 8], seen);
  }
  const __m512 correction = exp_f32_avx512(_mm512_sub_ps(before, top));
  const __mmask16 live = rows_that_see(rows, start);
  const __m512 weight = _mm512_load_ps(rows.weight);
  const __m512 now = _mm512_add_ps(_mm512_mul_ps(weight, correction), join_lanes(lane));
  _mm512_mask_store_ps(rows.maximum, live, top);
  _mm512_mask_store_ps(rows.weight, live, now);
  return correction;
}

// sum * correction + weighted V, for C elements from v and sum on.
template <int C, bool kMasked>
static inline void weigh_values(const LaneRows& rows, const float* p, const float* v, int start,
                                int length, int head_dim, __m512 correction, float* sum) {
  __m512 partial[C];
  for (__m512& value : partial) value = _mm512_setzero_ps();
  for (int j = 0; j < length; ++j) {
    const __m512 weight = _mm512_load_ps(p + j * 16);
    const __mmask16 seen = kMasked ? rows_that_see(rows, start + j) : static_cast<__mmask16>(-1);
    for (int c = 0; c < C; ++c) {
      const __m512 product = _mm512_mul_ps(weight, _mm512_set1_ps(v[j * head_dim + c]));
      partial[c] = kMasked ? _mm512_mask_add_ps(partial[c], seen, partial[c], product)
                           : _mm512_add_ps(partial[c], product);
    }
  }
  const __mmask16 live = rows_that_see(rows, start);
  for (int c = 0; c < C; ++c) {
    const __m512 old = _mm512_load_ps(sum + c * 16);
    const __m512 now = _mm512_add_ps(_mm512_mul_ps(old, correction), partial[c]);
    _mm512_mask_store_ps(sum + c * 16, live, now);
  }
}

// One tile of `length` positions from `start` on, k and v (length, head_dim) in f32.
template <int tkv>
static inline void attend_tile_lanes(const LaneRows& rows, const float* k, const float* v,
                                     int start, int length, int head_dim) {
  if (rows.longest <= start) return;
  alignas(64) float p[tkv * 16];
  const int seen = rows.longest - start < length ? rows.longest - start : length;
  int j = 0;
  for (; j + 2 <= seen; j += 2) {
    score_lanes<2>(rows.q, k + j * head_dim, head_dim, p + j * 16);
  }
  if (j < seen) score_lanes<1>(rows.q, k + j * head_dim, head_dim, p + j * 16);
  const __m512 correction = weigh_lanes(rows, p, start, seen);
  const bool masked = rows_that_see(rows, start + seen - 1) != 0xffff;
  for (int i = 0; i < head_dim; i += 8) {
    if (masked) {
      weigh_values<8, true>(rows, p, v + i, start, seen, head_dim, correction, rows.sum + i * 16);
    } else {
      weigh_values<8, false>(rows, p, v + i, start, seen, head_dim, correction, rows.sum + i * 16);
    }
  }
}

static inline LaneRows start_lanes(const AttentionRows& block, int first, float* memory) {
  const int d = block.head_dim;
  LaneRows rows{memory, memory + d * 16, memory + 2 * d * 16, memory + 2 * d * 16 + 16, {}, 0};
  alignas(64) std::int32_t count[16];
  for (int lane = 0; lane < 16; ++lane) {
    const int r = first + lane < block.rows ? first + lane : block.rows - 1;
    count[lane] = attention_count(block, r);
    const float* q = block.q + attention_offset(block, r);
    for (int i = 0; i < d; ++i) rows.q[i * 16 + lane] = q[i] * block.scale;
  }
  rows.count = _mm512_load_si512(count);
  rows.longest = count[15];
  for (int i = 0; i < d; ++i) _mm512_store_ps(rows.sum + i * 16, _mm512_setzero_ps());
  _mm512_store_ps(rows.maximum, _mm512_set1_ps(kAttentionStart));
  _mm512_store_ps(rows.weight, _mm512_setzero_ps());
  return rows;
}

static inline void finish_lanes(const AttentionRows& block, const LaneRows& rows, int first) {
  const int count = block.rows - first < 16 ? block.rows - first : 16;
  const __m512 weight = _mm512_load_ps(rows.weight);
  for (int i = 0; i < block.head_dim; ++i) {
    float* sum = rows.sum + i * 16;
    _mm512_store_ps(sum, _mm512_div_ps(_mm512_load_ps(sum), weight));
  }
  for (int lane = 0; lane < count; ++lane) {
    float* out = block.out + attention_offset(block, first + lane);
    for (int i = 0; i < block.head_dim; ++i) out[i] = rows.sum[i * 16 + lane];
  }
}

// At most kMaxRows rows.
template <int tkv, int kMaxRows>
static void attend_rows_avx512(const AttentionRows& block) {
  constexpr int kGroups = (kMaxRows + 15) / 16;
  const int d = block.head_dim;
  const int groups = (block.rows + 15) / 16;
  const std::int64_t state = 2 * static_cast<std::int64_t>(d) * 16 + 32;
  const std::int64_t tile = static_cast<std::int64_t>(tkv) * d;
  auto* memory = static_cast<float*>(
      thread_scratch((kGroups * state + 2 * tile) * static_cast<std::int64_t>(sizeof(float))));
  float* k = memory + kGroups * state;
  float* v = k + tile;
  LaneRows rows[kGroups];
  for (int g = 0; g < groups; ++g) rows[g] = start_lanes(block, g * 16, memory + g * state);
  const int longest = attention_count(block, block.rows - 1);
  for (int start = 0; start < longest; start += tkv) {
    const int length = longest - start < tkv ? longest - start : tkv;
    const std::int64_t at = start * block.position_stride;
    widen_tile(block.k + at, block.position_stride, length, d, k);
    widen_tile(block.v + at, block.position_stride, length, d, v);
    for (int g = 0; g < groups; ++g) attend_tile_lanes<tkv>(rows[g], k, v, start, length, d);
  }
  for (int g = 0; g < groups; ++g) finish_lanes(block, rows[g], g * 16);
}

}  // namespace assay
