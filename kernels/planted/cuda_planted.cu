// add with one fault at a time, and without: kernels/add/cuda_vector.cu in blocks of 96.
//
// 96 threads, so that a row of 512 (128 vectors of four) is no whole number of blocks, and so that
// the control is code of its own and no copy of what is in service. The faults are those that cost
// GPU people most: a guard for whole blocks only, an address from a wrong stride, a wait for a flag
// that nobody sets, a launcher that quietly serves by other code.
#include <cstdint>

#include "kernels/add/cuda_vector.cuh"

extern "C" void assay_launch_add_cuda_vector(const void* args, ::assay::CudaLaunch& launch);

namespace assay::add_cuda_planted {

enum class Fault { kNone, kTail, kAddress, kEndless };

inline constexpr int kThreads = 96;
inline constexpr std::int64_t kFar = std::int64_t{1} << 40;  // bytes; no allocation is that large

// Until the word changes.
static __device__ __forceinline__ void wait_for_change(const void* at) {
  const volatile unsigned* word = static_cast<const volatile unsigned*>(at);
  const unsigned seen = *word;
  while (*word == seen) __nanosleep(100);
}

// a, out (t, columns); b (t, columns) or (columns). out may be a.
template <Fault kFault, typename Vector>
static __global__ void __launch_bounds__(kThreads)
    add_rows(const Vector* a, const Vector* b, Vector* out, int columns, bool broadcast) {
  const int column = static_cast<int>(blockIdx.y) * kThreads + static_cast<int>(threadIdx.x);
  const int end = kFault == Fault::kTail ? columns / kThreads * kThreads : columns;
  if (column >= end) return;
  const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * columns + column;
  if constexpr (kFault == Fault::kEndless) wait_for_change(a + at);
  if constexpr (kFault == Fault::kAddress) out += kFar / static_cast<int>(sizeof(Vector));
  out[at] = add_cuda_vector::sum_of(a[at], b[broadcast ? column : at]);
}

template <Fault kFault>
constexpr const char* name() {
  switch (kFault) {
    case Fault::kTail:
      return "add.cuda.planted[fault=tail]";
    case Fault::kAddress:
      return "add.cuda.planted[fault=address]";
    case Fault::kEndless:
      return "add.cuda.planted[fault=endless]";
    default:
      return "add.cuda.planted[fault=none]";
  }
}

template <Fault kFault, typename Vector>
static void enqueue_vectors(const AddArgs& args, const CudaLaunch& launch) {
  const int columns = args.k / static_cast<int>(sizeof(Vector) / sizeof(float));
  const dim3 grid(static_cast<unsigned>(args.t), cuda::groups_of(columns, kThreads));
  add_rows<kFault, Vector><<<grid, kThreads, 0, cuda::stream_of(launch)>>>(
      reinterpret_cast<const Vector*>(args.a), reinterpret_cast<const Vector*>(args.b),
      reinterpret_cast<Vector*>(args.out), columns, args.broadcast);
  cuda::check_launch(name<kFault>());
}

template <Fault kFault>
static void add(const AddArgs& args, CudaLaunch& launch) {
  if (args.k % 4 == 0 && cuda::aligned(16, {args.a, args.b, args.out})) {
    enqueue_vectors<kFault, float4>(args, launch);
  } else {
    enqueue_vectors<kFault, float>(args, launch);
  }
}

static void fall_back(const AddArgs& args, CudaLaunch& launch) {
  assay_launch_add_cuda_vector(&args, launch);
}

}  // namespace assay::add_cuda_planted

ASSAY_CUDA_VARIANT(add_cuda_planted_faultnone, assay::AddArgs,
                   assay::add_cuda_planted::add<assay::add_cuda_planted::Fault::kNone>);
ASSAY_CUDA_VARIANT(add_cuda_planted_faulttail, assay::AddArgs,
                   assay::add_cuda_planted::add<assay::add_cuda_planted::Fault::kTail>);
ASSAY_CUDA_VARIANT(add_cuda_planted_faultfallback, assay::AddArgs,
                   assay::add_cuda_planted::fall_back);
ASSAY_CUDA_VARIANT(add_cuda_planted_faultaddress, assay::AddArgs,
                   assay::add_cuda_planted::add<assay::add_cuda_planted::Fault::kAddress>);
ASSAY_CUDA_VARIANT(add_cuda_planted_faultendless, assay::AddArgs,
                   assay::add_cuda_planted::add<assay::add_cuda_planted::Fault::kEndless>);
