// Operands of the sweep, drawn on the device: value i of a seed is a hash of both, so that any
// thread can draw any value, and every run has the same ones.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "engine/core/dtype.h"
#include "engine/core/mix64.h"
#include "kernels/halve_activations/halve_activations.h"
#include "kernels/host_device.h"
#include "kernels/quantize_activations/quantize_activations.h"

namespace assay::sweep {

// As kernels/reference.h has them; large: mild with spikes of up to 1e5, which f16 cannot hold.
enum class Data { kMild, kOutlier, kExact, kLarge, kGiant };
const char* to_string(Data data);

ASSAY_HOST_DEVICE constexpr std::uint64_t counted(std::uint64_t seed, std::uint64_t counter) {
  return mix64(mix64(seed) + (counter + 1) * kMix64Step);
}
// [0, 1)
ASSAY_HOST_DEVICE inline float uniform(std::uint64_t seed, std::uint64_t counter) {
  return static_cast<float>(counted(seed, counter) >> 40) * 0x1p-24f;
}
// About N(0, 1): eight uniforms of sixteen bits.
ASSAY_HOST_DEVICE inline float normal(std::uint64_t seed, std::uint64_t counter) {
  std::uint32_t sum = 0;
  for (std::uint64_t word = 0; word < 2; ++word) {
    const std::uint64_t bits = counted(seed, 2 * counter + word);
    for (int i = 0; i < 4; ++i) sum += static_cast<std::uint32_t>(bits >> 16 * i & 0xffffu);
  }
  return (static_cast<float>(sum) * 0x1p-16f - 4) * 1.2247449f;
}

// All enqueue on the stream.
// Rows of valid blocks with sane scales -> out (rows, k).
void draw_weights(DType dtype, std::uint64_t seed, int rows, int k, void* out, cudaStream_t stream);
// Activations of a linear op -> out (rows, k).
void draw_activations(Data data, std::uint64_t seed, int rows, int k, float* out,
                      cudaStream_t stream);
// Queries -> out (count), rows of head_dim.
void draw_queries(Data data, std::uint64_t seed, std::int64_t count, int head_dim, float* out,
                  cudaStream_t stream);

// A cache in memory, strides in elements as in KvStoreArgs.
struct Cache {
  std::uint16_t* k;
  std::uint16_t* v;
  std::int64_t position_stride;
  std::int64_t head_stride;
  int kv_heads;
  int head_dim;
};
// K and V of positions 0 .. positions - 1; pads are left alone.
void draw_cache(Data data, std::uint64_t seed, int positions, const Cache& cache,
                cudaStream_t stream);
// Positions from .. to - 1 of one cache into another of the same strides.
void copy_positions(const Cache& source, int from, int to, const Cache& target,
                    cudaStream_t stream);

// By the definitions of quantize_activations and halve_activations, in fp64.
void quantize(const float* x, int rows, int k, const QuantizedRows& out, cudaStream_t stream);
void halve(const float* x, int rows, int k, const HalfRows& out, cudaStream_t stream);

}  // namespace assay::sweep
