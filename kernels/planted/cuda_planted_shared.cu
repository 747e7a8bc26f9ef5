// add through shared memory that a kernel may have only where it was allowed: 64 KiB, which every
// GPU gives, and 512 KiB, which none does. The refusal must end the launch, never change its path.
#include <cstdint>

#include "kernels/add/cuda_vector.cuh"
#include "kernels/cuda_shared_memory.cuh"

namespace assay::add_cuda_planted_shared {

inline constexpr int kThreads = 128;
inline constexpr int kGivenBytes = 64 << 10;
inline constexpr int kRefusedBytes = 512 << 10;

// a, out (t, columns); b (t, columns) or (columns). out may be a. A thread reads only what it wrote
// to shared memory itself.
template <int kBytes, typename Vector>
static __global__ void __launch_bounds__(kThreads)
    add_rows(const Vector* a, const Vector* b, Vector* out, int columns, bool broadcast) {
  static_assert(kBytes >= kThreads * static_cast<int>(sizeof(Vector)));
  extern __shared__ __align__(16) unsigned char shared[];
  const int column = static_cast<int>(blockIdx.y) * kThreads + static_cast<int>(threadIdx.x);
  if (column >= columns) return;
  const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * columns + column;
  Vector* kept = reinterpret_cast<Vector*>(shared) + threadIdx.x;
  *kept = a[at];
  out[at] = add_cuda_vector::sum_of(*kept, b[broadcast ? column : at]);
}

template <int kBytes>
constexpr const char* name() {
  return kBytes == kGivenBytes ? "add.cuda.planted_shared[fault=none]"
                               : "add.cuda.planted_shared[fault=opt_in]";
}

template <int kBytes, typename Vector>
static void enqueue_vectors(const AddArgs& args, const CudaLaunch& launch) {
  cuda::allow_shared_memory(reinterpret_cast<const void*>(add_rows<kBytes, Vector>), kBytes,
                            name<kBytes>());
  const int columns = args.k / static_cast<int>(sizeof(Vector) / sizeof(float));
  const dim3 grid(static_cast<unsigned>(args.t), cuda::groups_of(columns, kThreads));
  add_rows<kBytes, Vector><<<grid, kThreads, kBytes, cuda::stream_of(launch)>>>(
      reinterpret_cast<const Vector*>(args.a), reinterpret_cast<const Vector*>(args.b),
      reinterpret_cast<Vector*>(args.out), columns, args.broadcast);
  cuda::check_launch(name<kBytes>());
}

template <int kBytes>
static void add(const AddArgs& args, CudaLaunch& launch) {
  if (args.k % 4 == 0 && cuda::aligned(16, {args.a, args.b, args.out})) {
    enqueue_vectors<kBytes, float4>(args, launch);
  } else {
    enqueue_vectors<kBytes, float>(args, launch);
  }
}

}  // namespace assay::add_cuda_planted_shared

ASSAY_CUDA_VARIANT(
    add_cuda_planted_shared_faultnone, assay::AddArgs,
    assay::add_cuda_planted_shared::add<assay::add_cuda_planted_shared::kGivenBytes>);
ASSAY_CUDA_VARIANT(
    add_cuda_planted_shared_faultopt_in, assay::AddArgs,
    assay::add_cuda_planted_shared::add<assay::add_cuda_planted_shared::kRefusedBytes>);
