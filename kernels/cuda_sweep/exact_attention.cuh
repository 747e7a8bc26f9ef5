// Attention in fp64 on the device, with the budget of every output.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/cuda_sweep/device.cuh"
#include "kernels/cuda_sweep/draw.cuh"

namespace assay::sweep {

// Rows 0 .. rows - 1 at positions past + row, as attention_prefill has them. value, budget (rows,
// heads, head_dim). `half`: budgets of kernels that round Q and probabilities to halves.
struct ExactRows {
  const float* q;  // (rows, heads, head_dim)
  Cache cache;
  int rows;
  int past;
  int heads;
  float scale;
  bool half;
  double* value;
  double* budget;
};
// Error(kUsage) for more positions than a block's shared memory has room for (about 6,000).
void exact_rows(const ExactRows& problem, cudaStream_t stream);

// One row of queries over 1, 2, .. positions, as attention_decode has it: every length from one
// pass.
struct ExactPrefixes {
  const float* q;  // (heads, head_dim)
  Cache cache;
  int positions;
  int heads;
  float scale;
  const int* row_of;  // (positions): row of value and budget for nkv = i + 1, -1: not wanted
  double* value;      // (rows, heads, head_dim)
  double* budget;
};
// Scratch of exact_prefixes.
class PrefixScratch {
 public:
  PrefixScratch(int heads, int positions)
      : weight(std::size_t(heads) * std::size_t(positions)),
        top(std::size_t(heads) * std::size_t(positions)),
        widest(std::size_t(heads) * std::size_t(positions)),
        decay(std::size_t(heads) * std::size_t(positions)) {}
  // All (heads, positions).
  DeviceArray<double> weight;  // scores, then exp(score - top)
  DeviceArray<double> top;     // highest score so far
  DeviceArray<double> widest;  // largest sum |q k| so far
  DeviceArray<double> decay;   // exp(top before - top)
};
void exact_prefixes(const ExactPrefixes& problem, const PrefixScratch& scratch,
                    cudaStream_t stream);

}  // namespace assay::sweep
