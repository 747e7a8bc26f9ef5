// A row of the residual stream on its way through an RMS norm, for kernels that do more with the
// result than to store it: the sum with what a layer adds, and the norm's factor, with the row's
// first vectors and their weights left in registers.
//
// The order of the squares is cuda_block.cuh's, the addition is one IEEE addition per element, so
// the bits are those of add and rms_norm one after the other.
#pragma once

#include "kernels/cuda_early_load.cuh"
#include "kernels/rms_norm/cuda_block.cuh"

namespace assay::rms_norm_cuda_block {

// One row; `r` is null where nothing is added and x is only read.
struct ResidualRow {
  float4* x;        // (vectors)
  const float4* r;  // (vectors), or null
  const float4* w;  // (vectors)
  int vectors;
};

__device__ __forceinline__ float4 added(float4 a, float4 b) {
  return {__fadd_rn(a.x, b.x), __fadd_rn(a.y, b.y), __fadd_rn(a.z, b.z), __fadd_rn(a.w, b.w)};
}

// x[i] += r[i]; the sum.
__device__ __forceinline__ float4 take(const ResidualRow& row, int i) {
  float4 x = row.x[i];
  if (row.r != nullptr) {
    x = added(x, row.r[i]);
    row.x[i] = x;
  }
  return x;
}

// What a thread keeps of a row: its first kHeld vectors (zeros behind the row's end).
template <int kHeld>
struct HeldVectors {
  float4 x[kHeld];
  float4 w[kHeld];
  float inverse;  // 1 / sqrt(mean(x^2) + eps)
};

// Vector h of the held ones' weights: asked for early, or read now.
template <bool kEarly, int kHeld>
__device__ __forceinline__ float4 weight_of(const HeldVectors<kHeld>& held, const ResidualRow& row,
                                            int h, int i) {
  if constexpr (kEarly) {
    return held.w[h];
  } else {
    return row.w[i];
  }
}

// Fills x of the held vectors, and with kEarly w.
template <int kRowThreads, bool kEarly, int kHeld>
__device__ __forceinline__ void load(HeldVectors<kHeld>& held, const ResidualRow& row, int thread) {
  [[maybe_unused]] float4 more[kHeld];
#pragma unroll
  for (int h = 0; h < kHeld; ++h) {
    const int i = thread + h * kRowThreads;
    const bool inside = i < row.vectors;
    held.x[h] = {0.0f, 0.0f, 0.0f, 0.0f};
    if constexpr (kEarly) {
      held.w[h] = cuda::load_early_floats(reinterpret_cast<const float*>(row.w + i), inside);
      more[h] = cuda::load_early_floats(reinterpret_cast<const float*>(row.r + i),
                                        inside && row.r != nullptr);
      if (inside) held.x[h] = row.x[i];
    } else if (inside) {
      held.x[h] = take(row, i);
    }
  }
  if constexpr (kEarly) {
    if (row.r == nullptr) return;
#pragma unroll
    for (int h = 0; h < kHeld; ++h) {
      const int i = thread + h * kRowThreads;
      if (i >= row.vectors) continue;
      held.x[h] = added(held.x[h], more[h]);
      row.x[i] = held.x[h];
    }
  }
}

// All threads of the row take part. kEarly: weights and r are asked for before anything is used, at
// the price of registers; for few rows, where latency counts and occupancy does not.
template <int kRowThreads, bool kEarly, int kHeld>
__device__ __forceinline__ HeldVectors<kHeld> norm_of(const ResidualRow& row, int thread, int k,
                                                      float eps) {
  HeldVectors<kHeld> held;
  load<kRowThreads, kEarly>(held, row, thread);
  float sum = 0.0f;
#pragma unroll
  for (int h = 0; h < kHeld; ++h) {
    if (thread + h * kRowThreads < row.vectors) sum = add_squares(sum, held.x[h]);
  }
#pragma unroll 1
  for (int i = thread + kHeld * kRowThreads; i < row.vectors; i += kRowThreads) {
    sum = add_squares(sum, take(row, i));
  }
  held.inverse = inverse_root<kRowThreads>(sum, k, eps);
  return held;
}

}  // namespace assay::rms_norm_cuda_block
