// Pieces of packed split decode attention: partial results, a warp's positions, the merge.
//
// Positions are dealt to slots of kDim / 8 lanes: a lane reads 16 bytes (8 dims) of K and of V of
// its slot's position and keeps, for those 8 dims, Q and the output of every head of the group. A
// slot's softmax is its own; slots meet in shared memory at the end, splits in the combine kernel.
#pragma once

#include <cstdint>

#include "kernels/attention_decode/attention_decode.h"
#include "kernels/cuda_early_load.cuh"
#include "kernels/cuda_exp2.cuh"
#include "kernels/cuda_halves.cuh"

namespace assay::attention_decode_cuda_packed {

inline constexpr int kThreads = 128;
inline constexpr int kMaxGroup = 8;
inline constexpr int kMaxDim = 256;

// Of splits, by (head, split). A split without positions has weight 0 and top -inf, and its rows of
// `sum` are not written.
struct Partials {
  float* sum;      // (heads, splits, head_dim): sum of 2^(score - top) v
  float2* weight;  // (heads, splits): top, and sum of 2^(score - top)
};

// Below every score, and finite: its difference with itself is 0.
inline constexpr float kNothing = -1e30f;

template <int kDim>
inline constexpr int kLanes = kDim / 8;  // of a slot
template <int kDim>
inline constexpr int kSlots = kThreads / kLanes<kDim>;

// Eight halves -> f32.
__device__ __forceinline__ void widen(const uint4& halves, float (&out)[8]) {
  const std::uint32_t words[4] = {halves.x, halves.y, halves.z, halves.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float2 pair = cuda::unpack_halves(words[i]);
    out[2 * i] = pair.x;
    out[2 * i + 1] = pair.y;
  }
}

// What a lane knows of the heads of its group.
template <int kGroup>
struct Heads {
  float q[kGroup][8];    // scale * log2(e) * q
  float sum[kGroup][8];  // of the output
  float top[kGroup];
  float weight[kGroup];
};

// `q`: this lane's dims of the group's first head; heads are head_dim elements apart. Lanes behind
// head_dim have zeros.
template <int kGroup>
__device__ __forceinline__ void start(const float* q, int head_dim, bool has_dims, float factor,
                                      Heads<kGroup>& heads) {
#pragma unroll
  for (int g = 0; g < kGroup; ++g) {
    heads.top[g] = kNothing;
    heads.weight[g] = 0.0f;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float4 four = cuda::load_early_floats(q + g * head_dim + 4 * half, has_dims);
      heads.q[g][4 * half] = four.x * factor;
      heads.q[g][4 * half + 1] = four.y * factor;
      heads.q[g][4 * half + 2] = four.z * factor;
      heads.q[g][4 * half + 3] = four.w * factor;
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) heads.sum[g][i] = 0.0f;
  }
}

// Scores of one position for every head, in all lanes of its slot.
template <int kDim, int kGroup>
__device__ __forceinline__ void score(const Heads<kGroup>& heads, const uint4& k,
                                      float (&s)[kGroup]) {
  float key[8];
  widen(k, key);
#pragma unroll
  for (int g = 0; g < kGroup; ++g) {
    float even = heads.q[g][0] * key[0];
    float odd = heads.q[g][1] * key[1];
#pragma unroll
    for (int i = 2; i < 8; i += 2) {
      even = __fmaf_rn(heads.q[g][i], key[i], even);
      odd = __fmaf_rn(heads.q[g][i + 1], key[i + 1], odd);
    }
    s[g] = even + odd;
  }
#pragma unroll
  for (int apart = kLanes<kDim> / 2; apart > 0; apart /= 2) {
#pragma unroll
    for (int g = 0; g < kGroup; ++g) s[g] += __shfl_xor_sync(0xffffffffu, s[g], apart);
  }
}

// kFlight positions of a slot into its sums: scores become weights, values are added.
template <int kGroup, int kFlight>
__device__ __forceinline__ void take(Heads<kGroup>& heads, float (&s)[kFlight][kGroup],
                                     const uint4 (&v)[kFlight]) {
#pragma unroll
  for (int g = 0; g < kGroup; ++g) {
    float top = heads.top[g];
#pragma unroll
    for (int u = 0; u < kFlight; ++u) top = fmaxf(top, s[u][g]);
    const float correction = cuda::exp2_approximate(heads.top[g] - top);
    heads.top[g] = top;
    heads.weight[g] *= correction;
#pragma unroll
    for (int u = 0; u < kFlight; ++u) {
      s[u][g] = cuda::exp2_approximate(s[u][g] - top);
      heads.weight[g] += s[u][g];
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) heads.sum[g][i] *= correction;
  }
#pragma unroll
  for (int u = 0; u < kFlight; ++u) {
    float value[8];
    widen(v[u], value);
#pragma unroll
    for (int g = 0; g < kGroup; ++g) {
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        heads.sum[g][i] = __fmaf_rn(s[u][g], value[i], heads.sum[g][i]);
      }
    }
  }
}

// What the slots of a block know, in shared memory.
template <int kDim, int kGroup>
struct SlotResults {
  float4 sum[kSlots<kDim>][kGroup][kDim / 4];
  float2 weight[kSlots<kDim>][kGroup];  // top, weight
};

template <int kDim, int kGroup>
__device__ __forceinline__ void leave_slot(const Heads<kGroup>& heads,
                                           SlotResults<kDim, kGroup>& results) {
  const int slot = static_cast<int>(threadIdx.x) / kLanes<kDim>;
  const int part = static_cast<int>(threadIdx.x) % kLanes<kDim>;
#pragma unroll
  for (int g = 0; g < kGroup; ++g) {
    const float(&sum)[8] = heads.sum[g];
    results.sum[slot][g][2 * part] = make_float4(sum[0], sum[1], sum[2], sum[3]);
    results.sum[slot][g][2 * part + 1] = make_float4(sum[4], sum[5], sum[6], sum[7]);
    if (part == 0) results.weight[slot][g] = make_float2(heads.top[g], heads.weight[g]);
  }
}

__device__ __forceinline__ void add_scaled(float4& sum, float factor, const float4& term) {
  sum.x = __fmaf_rn(factor, term.x, sum.x);
  sum.y = __fmaf_rn(factor, term.y, sum.y);
  sum.z = __fmaf_rn(factor, term.z, sum.z);
  sum.w = __fmaf_rn(factor, term.w, sum.w);
}

// The slots' results in the order of the slots -> the partial result of head `first_head` + g.
template <int kDim, int kGroup>
__device__ __forceinline__ void merge_slots(const SlotResults<kDim, kGroup>& results,
                                            int first_head, int split, int splits, int head_dim,
                                            const Partials& partials) {
  for (int i = static_cast<int>(threadIdx.x); i < kGroup * (kDim / 4); i += kThreads) {
    const int g = i / (kDim / 4);
    const int column = i % (kDim / 4);
    float top = kNothing;
#pragma unroll
    for (int slot = 0; slot < kSlots<kDim>; ++slot) top = fmaxf(top, results.weight[slot][g].x);
    float weight = 0.0f;
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll
    for (int slot = 0; slot < kSlots<kDim>; ++slot) {
      const float2 of_slot = results.weight[slot][g];
      const float factor = cuda::exp2_approximate(of_slot.x - top);
      weight = __fmaf_rn(factor, of_slot.y, weight);
      add_scaled(sum, factor, results.sum[slot][g][column]);
    }
    const std::int64_t row = static_cast<std::int64_t>(first_head + g) * splits + split;
    if (column * 4 < head_dim) {
      reinterpret_cast<float4*>(partials.sum + row * head_dim)[column] = sum;
    }
    if (column == 0) partials.weight[row] = make_float2(top, weight);
  }
}

}  // namespace assay::attention_decode_cuda_packed
