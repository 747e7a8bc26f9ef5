// Plain kernels. matvec: a warp per weight row, its lanes taking elements or 32-blocks in turn.
// matmul: 64 x 64 outputs per block through shared memory, 4 x 4 per thread, since the whole sweep
// asks for some 10^13 terms.
#include "kernels/cuda_sweep/exact_linear.cuh"

#include <cmath>

#include "kernels/cuda_check.cuh"
#include "kernels/cuda_grid.cuh"
#include "kernels/cuda_sweep/format.cuh"
#include "kernels/error_budget.h"

namespace assay::sweep {
namespace {

constexpr int kThreads = 256;
constexpr int kTile = 64;   // rows and columns of a block
constexpr int kDepth = 16;  // of K in shared memory
constexpr int kSide = 16;   // threads along a side: kSide * kSide = kThreads
constexpr int kEach = kTile / kSide;

__device__ ExactDot sum_of_warp(ExactDot dot) {
  for (int apart = 16; apart > 0; apart /= 2) {
    dot.value += __shfl_xor_sync(0xffffffffu, dot.value, apart);
    dot.magnitude += __shfl_xor_sync(0xffffffffu, dot.magnitude, apart);
  }
  return dot;
}

__device__ ExactDot float_terms(const Format& f, const std::uint8_t* row, const float* x, int k,
                                int lane) {
  ExactDot dot;
  for (int i = lane; i < k; i += 32) {
    const double term = weight_of(f, row, i).product * static_cast<double>(x[i]);
    dot.value += term;
    dot.magnitude += fabs(term);
  }
  return dot;
}

__device__ ExactDot quantized_terms(const Format& f, const std::uint8_t* row,
                                    const QuantizedRows& x, int k, int lane) {
  ExactDot dot;
  for (int b = lane; b < k / 32; b += 32) {
    double product = 0;
    double offset = 0;
    for (int i = b * 32; i < b * 32 + 32; ++i) {
      const Weight w = weight_of(f, row, i);
      product += w.product * x.q[i];
      offset += w.offset * x.q[i];
    }
    const double d = static_cast<double>(x.d[b]);
    dot.value += d * (product - offset);
    dot.magnitude += fabs(d * product) + fabs(d * offset);
  }
  return dot;
}

__global__ void __launch_bounds__(kThreads) matvec_row(Format f, ExactMatvec problem) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int row = static_cast<int>(blockIdx.x * (kThreads / 32) + threadIdx.x / 32);
  if (row >= problem.n) return;  // whole warps
  const std::uint8_t* weights = static_cast<const std::uint8_t*>(problem.weights) +
                                static_cast<std::int64_t>(row) * (problem.k / f.elements) * f.bytes;
  const bool floats = f.d < 0;
  const ExactDot dot =
      sum_of_warp(floats ? float_terms(f, weights, problem.x, problem.k, lane)
                         : quantized_terms(f, weights, problem.xq, problem.k, lane));
  if (lane != 0) return;
  problem.value[row] = dot.value;
  problem.budget[row] = linear_budget(floats, problem.k, dot);
}

// A weight as a tensor core gets it.
__device__ double half_weight(const Format& f, const std::uint8_t* row, int i) {
  const Weight w = weight_of(f, row, i);
  const float value = static_cast<float>(w.product - w.offset);
  return static_cast<double>(__half2float(__float2half_rn(value)));
}

// Terms of K from `at` on into shared memory, [k][row]; what does not exist is zero.
struct Tiles {
  double x[kDepth][kTile + 1];
  double w[kDepth][kTile + 1];
};
__device__ void fill_tiles(const Format& f, const ExactHalfMatmul& p, int at, Tiles& tiles) {
  for (int i = static_cast<int>(threadIdx.x); i < kTile * kDepth; i += kThreads) {
    const int k = at + i % kDepth;
    const int row = static_cast<int>(blockIdx.y) * kTile + i / kDepth;
    const int column = static_cast<int>(blockIdx.x) * kTile + i / kDepth;
    double x = 0;
    double w = 0;
    if (row < p.count) {
      const std::int64_t of_x = static_cast<std::int64_t>(p.rows[row]) * p.k + k;
      x = static_cast<double>(__half2float(__ushort_as_half(p.xh.h[of_x])));
    }
    if (column < p.n) {
      const std::int64_t row_bytes = static_cast<std::int64_t>(p.k / f.elements) * f.bytes;
      w = half_weight(f, static_cast<const std::uint8_t*>(p.weights) + column * row_bytes, k);
    }
    tiles.x[i % kDepth][i / kDepth] = x;
    tiles.w[i % kDepth][i / kDepth] = w;
  }
}

__device__ void add_terms(const Tiles& tiles, ExactDot (&dots)[kEach][kEach]) {
  for (int k = 0; k < kDepth; ++k) {
    double x[kEach];
    double w[kEach];
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      x[i] = tiles.x[k][threadIdx.x / kSide + i * kSide];
      w[i] = tiles.w[k][threadIdx.x % kSide + i * kSide];
    }
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
#pragma unroll
      for (int j = 0; j < kEach; ++j) {  // products of halves are exact
        dots[i][j].value = fma(x[i], w[j], dots[i][j].value);
        dots[i][j].magnitude = fma(fabs(x[i]), fabs(w[j]), dots[i][j].magnitude);
      }
    }
  }
}

__global__ void __launch_bounds__(kThreads) matmul_tile(Format f, ExactHalfMatmul p) {
  __shared__ Tiles tiles;
  ExactDot dots[kEach][kEach];
  for (int at = 0; at < p.k; at += kDepth) {
    __syncthreads();
    fill_tiles(f, p, at, tiles);
    __syncthreads();
    add_terms(tiles, dots);
  }
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const int row = static_cast<int>(blockIdx.y * kTile + threadIdx.x / kSide) + i * kSide;
    if (row >= p.count) continue;
    const double scale = static_cast<double>(p.xh.scale[p.rows[row]]);  // a power of two
#pragma unroll
    for (int j = 0; j < kEach; ++j) {
      const int column = static_cast<int>(blockIdx.x * kTile + threadIdx.x % kSide) + j * kSide;
      if (column >= p.n) continue;
      const std::int64_t to = static_cast<std::int64_t>(row) * p.n + column;
      const ExactDot dot{dots[i][j].value * scale, dots[i][j].magnitude * scale};
      p.value[to] = dot.value;
      p.budget[to] = half_linear_budget(p.k, dot);
    }
  }
}

}  // namespace

void exact_matvec(const ExactMatvec& problem, cudaStream_t stream) {
  matvec_row<<<cuda::groups_of(problem.n, kThreads / 32), kThreads, 0, stream>>>(
      format_of(problem.dtype), problem);
  cuda::check_launch("fp64 matvec");
}

void exact_half_matmul(const ExactHalfMatmul& problem, cudaStream_t stream) {
  static_assert(kSide * kSide == kThreads && sizeof(Tiles) <= (48 << 10));
  const dim3 grid(cuda::groups_of(problem.n, kTile), cuda::groups_of(problem.count, kTile));
  matmul_tile<<<grid, kThreads, 0, stream>>>(format_of(problem.dtype), problem);
  cuda::check_launch("fp64 matmul");
}

}  // namespace assay::sweep
