// Rows of prefill have queries of their own, so each is a block that keeps its weights in shared
// memory. A decode row is one set of queries over growing prefixes: scores once, running maxima by
// a warp's scan, then each output dimension walks the positions with a running sum that is scaled
// down when the maximum rises, and leaves its value wherever a length is wanted.
#include "kernels/cuda_sweep/exact_attention.cuh"

#include <cuda_fp16.h>

#include <cmath>

#include "kernels/cuda_grid.cuh"
#include "kernels/error_budget.h"

namespace assay::sweep {
namespace {

constexpr int kThreads = 128;
constexpr int kMostDims = 256;
constexpr int kSharedBytes = 48 << 10;

__device__ double half_value(std::uint16_t bits) {
  return static_cast<double>(__half2float(__ushort_as_half(bits)));
}

// q . k and sum |q k| of one position.
__device__ ExactDot score_of(const double* q, const std::uint16_t* k, int head_dim) {
  ExactDot dot;
  for (int eight = 0; eight < head_dim; eight += 8) {
    const uint4 bits = *reinterpret_cast<const uint4*>(k + eight);
    const std::uint32_t words[4] = {bits.x, bits.y, bits.z, bits.w};
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const auto half = static_cast<std::uint16_t>(words[i / 2] >> i % 2 * 16 & 0xffffu);
      const double term = q[eight + i] * half_value(half);
      dot.value += term;
      dot.magnitude += fabs(term);
    }
  }
  return dot;
}

// The result in every thread of the block; `shared` (kThreads).
template <typename Join>
__device__ double over_block(double value, double* shared, const Join& join) {
  __syncthreads();
  shared[threadIdx.x] = value;
  __syncthreads();
  for (int apart = kThreads / 2; apart > 0; apart /= 2) {
    if (static_cast<int>(threadIdx.x) < apart) {
      shared[threadIdx.x] = join(shared[threadIdx.x], shared[threadIdx.x + apart]);
    }
    __syncthreads();
  }
  return shared[0];
}

struct Larger {
  __device__ double operator()(double a, double b) const { return fmax(a, b); }
};
struct Sum {
  __device__ double operator()(double a, double b) const { return a + b; }
};

// Block (head, row). Dynamic shared memory: a double per position.
__global__ void __launch_bounds__(kThreads) attend_row(ExactRows p) {
  extern __shared__ double weight[];
  __shared__ double query[kMostDims];
  __shared__ double joined[kThreads];
  const int head = static_cast<int>(blockIdx.x);
  const int row = static_cast<int>(blockIdx.y);
  const int count = p.past + row + 1;
  const int d = p.cache.head_dim;
  const std::int64_t at = (static_cast<std::int64_t>(row) * p.heads + head) * d;
  const std::int64_t kv = head / (p.heads / p.cache.kv_heads) * p.cache.head_stride;
  const auto scale = static_cast<double>(p.scale);
  for (int i = static_cast<int>(threadIdx.x); i < d; i += kThreads) {
    query[i] = static_cast<double>(p.q[at + i]);
  }
  __syncthreads();
  double top = -INFINITY;
  double widest = 0;
  for (int j = static_cast<int>(threadIdx.x); j < count; j += kThreads) {
    const ExactDot dot = score_of(query, p.cache.k + kv + j * p.cache.position_stride, d);
    weight[j] = dot.value * scale;
    top = fmax(top, weight[j]);
    widest = fmax(widest, dot.magnitude);
  }
  top = over_block(top, joined, Larger{});
  widest = over_block(widest, joined, Larger{});
  double total = 0;
  for (int j = static_cast<int>(threadIdx.x); j < count; j += kThreads) {
    total += weight[j] = exp(weight[j] - top);
  }
  total = over_block(total, joined, Sum{});
  const double factor = attention_error_factor(p.half, scale, d, count, widest);
  for (int i = static_cast<int>(threadIdx.x); i < d; i += kThreads) {
    ExactDot out;
    for (int j = 0; j < count; ++j) {
      const double v = half_value(p.cache.v[kv + j * p.cache.position_stride + i]);
      out.value = fma(weight[j], v, out.value);
      out.magnitude = fma(weight[j], fabs(v), out.magnitude);
    }
    p.value[at + i] = out.value / total;
    p.budget[at + i] = attention_budget(out.magnitude / total, factor, count);
  }
}

// The four arrays of PrefixScratch.
struct Scratch {
  double* weight;
  double* top;
  double* widest;
  double* decay;
};

// Grid (groups of positions, heads).
__global__ void __launch_bounds__(kThreads) score_positions(ExactPrefixes p, Scratch s) {
  __shared__ double query[kMostDims];
  const int head = static_cast<int>(blockIdx.y);
  const int d = p.cache.head_dim;
  for (int i = static_cast<int>(threadIdx.x); i < d; i += kThreads) {
    query[i] = static_cast<double>(p.q[head * d + i]);
  }
  __syncthreads();
  const int j = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (j >= p.positions) return;
  const std::int64_t kv = head / (p.heads / p.cache.kv_heads) * p.cache.head_stride;
  const ExactDot dot = score_of(query, p.cache.k + kv + j * p.cache.position_stride, d);
  const std::int64_t to = static_cast<std::int64_t>(head) * p.positions + j;
  s.weight[to] = dot.value * static_cast<double>(p.scale);
  s.widest[to] = dot.magnitude;
}

// to[j] = max(from[0 .. j]), by the one warp that runs it; `from` may be `to`.
__device__ void scan_maxima(const double* from, double* to, int count) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  double before = -INFINITY;
  for (int first = 0; first < count; first += 32) {
    double most = first + lane < count ? from[first + lane] : -INFINITY;
    for (int apart = 1; apart < 32; apart *= 2) {
      const double other = __shfl_up_sync(0xffffffffu, most, apart);
      if (lane >= apart) most = fmax(most, other);
    }
    most = fmax(most, before);
    if (first + lane < count) to[first + lane] = most;
    before = __shfl_sync(0xffffffffu, most, 31);
  }
}

// Block: head. The first warp scans scores, the second magnitudes.
__global__ void __launch_bounds__(64) scan_positions(ExactPrefixes p, Scratch s) {
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * p.positions;
  if (threadIdx.x < 32) {
    scan_maxima(s.weight + first, s.top + first, p.positions);
  } else {
    scan_maxima(s.widest + first, s.widest + first, p.positions);
  }
}

__global__ void __launch_bounds__(kThreads) weigh_positions(ExactPrefixes p, Scratch s) {
  const int j = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (j >= p.positions) return;
  const std::int64_t at = static_cast<std::int64_t>(blockIdx.y) * p.positions + j;
  s.weight[at] = exp(s.weight[at] - s.top[at]);
  s.decay[at] = j == 0 ? 0.0 : exp(s.top[at - 1] - s.top[at]);
}

// Block: head; a thread per dimension. Eight positions are read before they are added, since the
// sums are a chain and memory is far.
__global__ void __launch_bounds__(kMostDims) walk_positions(ExactPrefixes p, Scratch s) {
  constexpr int kAhead = 8;
  const int head = static_cast<int>(blockIdx.x);
  const int i = static_cast<int>(threadIdx.x);
  const int d = p.cache.head_dim;
  const std::uint16_t* values =
      p.cache.v + head / (p.heads / p.cache.kv_heads) * p.cache.head_stride + i;
  const std::int64_t first = static_cast<std::int64_t>(head) * p.positions;
  ExactDot out;
  double total = 0;
  for (int at = 0; at < p.positions; at += kAhead) {
    double v[kAhead];
    double w[kAhead];
    double decay[kAhead];
    int row[kAhead];
#pragma unroll
    for (int u = 0; u < kAhead; ++u) {
      const int j = min(at + u, p.positions - 1);
      v[u] = half_value(__ldg(values + j * p.cache.position_stride));
      w[u] = __ldg(s.weight + first + j);
      decay[u] = __ldg(s.decay + first + j);
      row[u] = at + u < p.positions ? __ldg(p.row_of + j) : -1;
    }
#pragma unroll
    for (int u = 0; u < kAhead; ++u) {
      total = fma(total, decay[u], w[u]);
      out.value = fma(out.value, decay[u], w[u] * v[u]);
      out.magnitude = fma(out.magnitude, decay[u], w[u] * fabs(v[u]));
      if (row[u] < 0) continue;
      const int count = at + u + 1;
      const std::int64_t to = (static_cast<std::int64_t>(row[u]) * p.heads + head) * d + i;
      const double factor = attention_error_factor(false, static_cast<double>(p.scale), d, count,
                                                   s.widest[first + count - 1]);
      p.value[to] = out.value / total;
      p.budget[to] = attention_budget(out.magnitude / total, factor, count);
    }
  }
}

}  // namespace

void exact_rows(const ExactRows& problem, cudaStream_t stream) {
  const std::size_t bytes = static_cast<std::size_t>(problem.past + problem.rows) * sizeof(double);
  const std::size_t fixed = (kMostDims + kThreads) * sizeof(double);
  if (bytes + fixed > kSharedBytes || problem.cache.head_dim > kMostDims) {
    throw Error(ErrorKind::kInternal,
                "fp64 attention: " + std::to_string(problem.past + problem.rows) +
                    " positions are more than a block has room for");
  }
  const dim3 grid(static_cast<unsigned>(problem.heads), static_cast<unsigned>(problem.rows));
  attend_row<<<grid, kThreads, bytes, stream>>>(problem);
  cuda::check_launch("fp64 attention of rows");
}

void exact_prefixes(const ExactPrefixes& problem, const PrefixScratch& scratch,
                    cudaStream_t stream) {
  const Scratch s{scratch.weight.data(), scratch.top.data(), scratch.widest.data(),
                  scratch.decay.data()};
  const auto heads = static_cast<unsigned>(problem.heads);
  const dim3 grid(cuda::groups_of(problem.positions, kThreads), heads);
  score_positions<<<grid, kThreads, 0, stream>>>(problem, s);
  scan_positions<<<heads, 64, 0, stream>>>(problem, s);
  weigh_positions<<<grid, kThreads, 0, stream>>>(problem, s);
  walk_positions<<<heads, static_cast<unsigned>(problem.cache.head_dim), 0, stream>>>(problem, s);
  cuda::check_launch("fp64 attention of prefixes");
}

}  // namespace assay::sweep
