#include "kernels/cuda_sweep/draw.cuh"

#include <cuda_fp16.h>

#include <cmath>

#include "kernels/cuda_check.cuh"
#include "kernels/cuda_grid.cuh"
#include "kernels/cuda_sweep/format.cuh"
#include "kernels/halve_activations/row_scale.h"

namespace assay::sweep {
namespace {

constexpr int kThreads = 256;

__device__ std::int64_t thread_index() {
  return static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
}
__device__ std::uint16_t half_bits(float value) {
  return __half_as_ushort(__float2half_rn(value));
}
__device__ float signed_by(std::uint64_t bits, float magnitude) {
  return bits % 2 == 0 ? magnitude : -magnitude;
}

// One in sixteen is negative, one in sixteen a sixty-fourth (often an f16 subnormal).
__device__ std::uint16_t draw_scale(std::uint64_t seed, std::uint64_t counter, float typical) {
  const std::uint64_t bits = counted(seed, counter);
  float value = typical * (0.5f + static_cast<float>(bits >> 40) * 0x1p-24f);
  if (bits % 16 == 0) value = -value;
  if (bits % 16 == 1) value /= 64;
  return half_bits(value);
}

// out: `words` words of sixteen bits, of blocks.
__global__ void __launch_bounds__(kThreads)
    draw_blocks(Format f, std::uint64_t seed, float scale, std::uint16_t* out, std::int64_t words) {
  const std::int64_t i = thread_index();
  if (i >= words) return;
  const std::int64_t block = i / (f.bytes / 2);
  const int byte = static_cast<int>(i % (f.bytes / 2)) * 2;
  if (byte == f.d) {
    out[i] = draw_scale(seed + 1, static_cast<std::uint64_t>(block), scale);
  } else if (byte == f.m) {
    out[i] = draw_scale(seed + 2, static_cast<std::uint64_t>(block), scale * f.offset);
  } else {
    out[i] = static_cast<std::uint16_t>(counted(seed, static_cast<std::uint64_t>(i)) >> 48);
  }
}

__global__ void __launch_bounds__(kThreads)
    draw_floats(Codes codes, std::uint64_t seed, float deviation, void* out, std::int64_t count) {
  const std::int64_t i = thread_index();
  if (i >= count) return;
  const float value = normal(seed, static_cast<std::uint64_t>(i)) * deviation;
  if (codes == Codes::kF32) {
    static_cast<float*>(out)[i] = value;
  } else if (codes == Codes::kF16) {
    static_cast<std::uint16_t*>(out)[i] = half_bits(value);
  } else {  // the nearer of two bfloat16, where there is no NaN
    const std::uint32_t bits = __float_as_uint(value);
    static_cast<std::uint16_t*>(out)[i] =
        static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
  }
}

__device__ float power_of_two(std::uint64_t bits) {
  return signed_by(bits >> 32, ldexpf(1.0f, static_cast<int>(bits % 9) - 4));
}

// Kinds that every op draws alike; value i of the seed.
__device__ float draw_plain(Data data, std::uint64_t seed, std::uint64_t i) {
  const float mild = normal(seed, i);
  if (data == Data::kExact) return power_of_two(counted(seed, i));
  if (data != Data::kOutlier || uniform(seed + 1, i) >= 0.001f) return mild;
  return mild + 10 * normal(seed + 2, i);
}

// Exact data: one-hot, constant and power-of-two rows in turn.
__global__ void __launch_bounds__(kThreads)
    draw_activation(Data data, std::uint64_t seed, int k, float* out, std::int64_t count) {
  const std::int64_t at = thread_index();
  if (at >= count) return;
  const auto i = static_cast<std::uint64_t>(at);
  const auto row = static_cast<std::uint64_t>(at / k);
  const int column = static_cast<int>(at % k);
  float value = draw_plain(data, seed, i);
  if (data == Data::kExact && row % 3 == 0) {
    const std::uint64_t hot = counted(seed + 3, row) % static_cast<std::uint64_t>(k);
    value = column == static_cast<int>(hot) ? 127.0f : 0.0f;
  }
  if (data == Data::kExact && row % 3 == 1) value = 0.5f;
  const std::uint64_t bits = counted(seed + 4, i);
  if (data == Data::kLarge && column == 13) value = signed_by(bits, 1e5f);
  if (data == Data::kLarge && column % 97 == 77) {
    value = signed_by(bits, 1e5f * uniform(seed + 5, i));
  }
  if (data == Data::kGiant && i % 97 == 13) value = signed_by(bits, 57 + 81 * uniform(seed + 5, i));
  out[at] = value;
}

__global__ void __launch_bounds__(kThreads)
    draw_query(Data data, std::uint64_t seed, int head_dim, float* out, std::int64_t count) {
  const std::int64_t at = thread_index();
  if (at >= count) return;
  const auto i = static_cast<std::uint64_t>(at);
  float value = draw_plain(data, seed, i);
  const std::uint64_t bits = counted(seed + 4, i);
  if (data == Data::kExact) value = at % head_dim == at / head_dim % head_dim ? 8.0f : 0.0f;
  if (data == Data::kGiant && i % 91 == 45) value = signed_by(bits, 57);
  if (data == Data::kLarge && i % 97 == 13) {
    value = signed_by(bits, 1e5f * (0.5f + 0.5f * uniform(seed + 5, i)));
  }
  out[at] = value;
}

__global__ void __launch_bounds__(kThreads)
    draw_kv(Data data, std::uint64_t seed, Cache cache, std::int64_t count) {
  const std::int64_t at = thread_index();
  if (at >= count) return;
  const auto i = static_cast<std::uint64_t>(at);
  const int dim = static_cast<int>(at % cache.head_dim);
  const int head = static_cast<int>(at / cache.head_dim % cache.kv_heads);
  const std::int64_t position = at / cache.head_dim / cache.kv_heads;
  const std::int64_t to = position * cache.position_stride + head * cache.head_stride + dim;
  cache.k[to] = half_bits(draw_plain(data, seed, i));
  float value = draw_plain(data, seed + 16, i);
  if (data == Data::kExact && head == 0) value = 0.5f;
  if (data == Data::kGiant && i % 1543 == 700) value = signed_by(counted(seed + 20, i), 138);
  cache.v[to] = half_bits(value);
}

// Eight elements of K and of V per thread.
__global__ void __launch_bounds__(kThreads)
    copy_position(Cache source, std::int64_t first, Cache target, std::int64_t count) {
  const std::int64_t i = thread_index();
  if (i >= count) return;
  const int eights = source.head_dim / 8;
  const std::int64_t position = first + i / eights / source.kv_heads;
  const std::int64_t at = position * source.position_stride +
                          i / eights % source.kv_heads * source.head_stride + i % eights * 8;
  *reinterpret_cast<uint4*>(target.k + at) = *reinterpret_cast<const uint4*>(source.k + at);
  *reinterpret_cast<uint4*>(target.v + at) = *reinterpret_cast<const uint4*>(source.v + at);
}

// A thread per 32-block.
__global__ void __launch_bounds__(kThreads)
    quantize_block(const float* x, QuantizedRows out, std::int64_t blocks) {
  const std::int64_t b = thread_index();
  if (b >= blocks) return;
  double amax = 0;
  for (int i = 0; i < 32; ++i) amax = fmax(amax, fabs(static_cast<double>(x[b * 32 + i])));
  const float d = amax < 0x1p-119 ? 0.0f : static_cast<float>(amax / 127.0);
  int sum = 0;
  for (int i = 0; i < 32; ++i) {
    const double exact = d == 0 ? 0.0 : static_cast<double>(x[b * 32 + i]) / d;
    const int code = static_cast<int>(rint(static_cast<float>(exact)));
    out.q[b * 32 + i] = static_cast<std::int8_t>(code);
    sum += code;
  }
  out.d[b] = d;
  out.sum[b] = static_cast<std::int16_t>(sum);
}

// A block per row.
__global__ void __launch_bounds__(kThreads) halve_row(const float* x, int k, HalfRows out) {
  __shared__ unsigned amax;  // magnitudes of floats are ordered as their bits are
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * k;
  if (threadIdx.x == 0) amax = 0;
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < k; i += kThreads) {
    atomicMax(&amax, __float_as_uint(fabsf(x[first + i])));
  }
  __syncthreads();
  const float scale = half_row_scale(__uint_as_float(amax));
  if (threadIdx.x == 0) out.scale[blockIdx.x] = scale;
  for (int i = static_cast<int>(threadIdx.x); i < k; i += kThreads) {
    out.h[first + i] = half_bits(__fdiv_rn(x[first + i], scale));
  }
}

}  // namespace

const char* to_string(Data data) {
  static constexpr const char* kNames[] = {"mild", "outlier", "exact", "large", "giant"};
  return kNames[static_cast<int>(data)];
}

void draw_weights(DType dtype, std::uint64_t seed, int rows, int k, void* out,
                  cudaStream_t stream) {
  const Format f = format_of(dtype);
  const float deviation = 1 / std::sqrt(static_cast<float>(k));
  const std::int64_t elements = static_cast<std::int64_t>(rows) * k;
  if (f.d < 0) {
    draw_floats<<<cuda::groups_of(elements, kThreads), kThreads, 0, stream>>>(
        f.codes, seed, deviation, out, elements);
  } else {
    const std::int64_t words = elements / f.elements * (f.bytes / 2);
    draw_blocks<<<cuda::groups_of(words, kThreads), kThreads, 0, stream>>>(
        f, seed, deviation / f.per_deviation, static_cast<std::uint16_t*>(out), words);
  }
  cuda::check_launch("draw of weights");
}

void draw_activations(Data data, std::uint64_t seed, int rows, int k, float* out,
                      cudaStream_t stream) {
  const std::int64_t count = static_cast<std::int64_t>(rows) * k;
  draw_activation<<<cuda::groups_of(count, kThreads), kThreads, 0, stream>>>(data, seed, k, out,
                                                                             count);
  cuda::check_launch("draw of activations");
}

void draw_queries(Data data, std::uint64_t seed, std::int64_t count, int head_dim, float* out,
                  cudaStream_t stream) {
  draw_query<<<cuda::groups_of(count, kThreads), kThreads, 0, stream>>>(data, seed, head_dim, out,
                                                                        count);
  cuda::check_launch("draw of queries");
}

void draw_cache(Data data, std::uint64_t seed, int positions, const Cache& cache,
                cudaStream_t stream) {
  const std::int64_t count = static_cast<std::int64_t>(positions) * cache.kv_heads * cache.head_dim;
  draw_kv<<<cuda::groups_of(count, kThreads), kThreads, 0, stream>>>(data, seed, cache, count);
  cuda::check_launch("draw of a cache");
}

void copy_positions(const Cache& source, int from, int to, const Cache& target,
                    cudaStream_t stream) {
  const std::int64_t count =
      static_cast<std::int64_t>(to - from) * source.kv_heads * (source.head_dim / 8);
  if (count <= 0) return;
  copy_position<<<cuda::groups_of(count, kThreads), kThreads, 0, stream>>>(source, from, target,
                                                                           count);
  cuda::check_launch("copy of positions");
}

void quantize(const float* x, int rows, int k, const QuantizedRows& out, cudaStream_t stream) {
  const std::int64_t blocks = static_cast<std::int64_t>(rows) * (k / 32);
  quantize_block<<<cuda::groups_of(blocks, kThreads), kThreads, 0, stream>>>(x, out, blocks);
  cuda::check_launch("the sweep's quantised activations");
}

void halve(const float* x, int rows, int k, const HalfRows& out, cudaStream_t stream) {
  halve_row<<<static_cast<unsigned>(rows), kThreads, 0, stream>>>(x, k, out);
  cuda::check_launch("the sweep's halved activations");
}

}  // namespace assay::sweep
