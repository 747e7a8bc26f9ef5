// add that is right and late: each block waits a number of clock cycles before it adds.
//
// A decode step with fused sums adds once, so the step gets longer by that much and by nothing
// else: an effect whose size is known, to hold the statistics against. The cycles are 0.25, 0.5, 1, 2
// and 5 % of a step at 1.97 GHz: of 0.187 ms (the embedded model), of 1.19 ms (1.5B) and of 2.35 ms
// (7B). An effect is judged against the variant that waits 0 cycles: it is the same code otherwise.
#include <cstdint>

#include "kernels/add/cuda_vector.cuh"

namespace assay::add_cuda_planted_spin {

inline constexpr int kThreads = 96;

template <int kCycles, typename Vector>
static __global__ void __launch_bounds__(kThreads)
    add_rows_late(const Vector* a, const Vector* b, Vector* out, int columns, bool broadcast) {
  const std::int64_t start = clock64();
  while (clock64() - start < kCycles) {
  }
  const int column = static_cast<int>(blockIdx.y) * kThreads + static_cast<int>(threadIdx.x);
  if (column >= columns) return;
  const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * columns + column;
  out[at] = add_cuda_vector::sum_of(a[at], b[broadcast ? column : at]);
}

template <int kCycles, typename Vector>
static void enqueue_vectors(const AddArgs& args, const CudaLaunch& launch) {
  const int columns = args.k / static_cast<int>(sizeof(Vector) / sizeof(float));
  const dim3 grid(static_cast<unsigned>(args.t), cuda::groups_of(columns, kThreads));
  add_rows_late<kCycles, Vector><<<grid, kThreads, 0, cuda::stream_of(launch)>>>(
      reinterpret_cast<const Vector*>(args.a), reinterpret_cast<const Vector*>(args.b),
      reinterpret_cast<Vector*>(args.out), columns, args.broadcast);
  cuda::check_launch("add.cuda.planted_spin");
}

template <int kCycles>
static void add(const AddArgs& args, CudaLaunch& launch) {
  if (args.k % 4 == 0 && cuda::aligned(16, {args.a, args.b, args.out})) {
    enqueue_vectors<kCycles, float4>(args, launch);
  } else {
    enqueue_vectors<kCycles, float>(args, launch);
  }
}

}  // namespace assay::add_cuda_planted_spin

#define ASSAY_SPIN(cycles)                                                 \
  ASSAY_CUDA_VARIANT(add_cuda_planted_spin_cycles##cycles, assay::AddArgs, \
                     assay::add_cuda_planted_spin::add<cycles>)
ASSAY_SPIN(0);
ASSAY_SPIN(925);
ASSAY_SPIN(1850);
ASSAY_SPIN(3700);
ASSAY_SPIN(5800);
ASSAY_SPIN(7400);
ASSAY_SPIN(18500);
ASSAY_SPIN(11600);
ASSAY_SPIN(23200);
ASSAY_SPIN(46400);
ASSAY_SPIN(92800);
ASSAY_SPIN(116000);
ASSAY_SPIN(232000);
