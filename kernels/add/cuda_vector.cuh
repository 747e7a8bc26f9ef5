// Elementwise addition on the GPU, for every mechanism that adds rows by a kernel of its own.
//
// One thread per four columns of a row, or per column where k or the pointers do not permit 16-byte
// loads. Rows go along the grid's long axis. A bias is the same code with b's row fixed, so that
// its 16 KB come from the caches for all rows but the first.
#pragma once

#include <cstdint>

#include "kernels/add/add.h"
#include "kernels/cuda_check.cuh"
#include "kernels/cuda_grid.cuh"

namespace assay::add_cuda_vector {

inline constexpr int kThreads = 256;

__device__ __forceinline__ float sum_of(float a, float b) {
  return a + b;
}
__device__ __forceinline__ float4 sum_of(float4 a, float4 b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}

// a, out (t, columns); b (t, columns) or (columns). out may be a.
template <typename Vector>
static __global__ void __launch_bounds__(kThreads)
    add_rows(const Vector* a, const Vector* b, Vector* out, int columns, bool broadcast) {
  const int column = static_cast<int>(blockIdx.y) * kThreads + static_cast<int>(threadIdx.x);
  if (column >= columns) return;
  const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * columns + column;
  out[at] = sum_of(a[at], b[broadcast ? column : at]);
}

template <typename Vector>
static inline void enqueue_vectors(const char* variant, const AddArgs& args,
                                   const CudaLaunch& launch) {
  const int columns = args.k / static_cast<int>(sizeof(Vector) / sizeof(float));
  const dim3 grid(static_cast<unsigned>(args.t), cuda::groups_of(columns, kThreads));
  add_rows<Vector><<<grid, kThreads, 0, cuda::stream_of(launch)>>>(
      reinterpret_cast<const Vector*>(args.a), reinterpret_cast<const Vector*>(args.b),
      reinterpret_cast<Vector*>(args.out), columns, args.broadcast);
  cuda::check_launch(variant);
}

// `variant`: whose launch this is.
static inline void enqueue(const char* variant, const AddArgs& args, const CudaLaunch& launch) {
  if (args.k % 4 == 0 && cuda::aligned(16, {args.a, args.b, args.out})) {
    enqueue_vectors<float4>(variant, args, launch);
  } else {
    enqueue_vectors<float>(variant, args, launch);
  }
}

}  // namespace assay::add_cuda_vector
