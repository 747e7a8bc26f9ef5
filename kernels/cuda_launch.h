// How a CUDA variant's code is reached; the CUDA side's kernels/launch.h.
//
// A mechanism file (cuda_*.cu) ends with one ASSAY_CUDA_VARIANT line per parameter point, which
// defines the launch function and its counter under C names that follow from the id. Argument
// structs are the CPU's, with device pointers. No CUDA header is needed to include this one.
//
// Positions. A decode step is captured into a graph once and replayed at every position, so nothing
// that depends on the position may be a launch argument there: kernels read it from
// CudaLaunch::position on the device, and the positions in the argument structs (nkv,
// first_position, past) are not used. In prefill `position` is null and the structs hold.
#pragma once

#include <cstddef>
#include <cstdint>

namespace assay {

class CublasLt;  // kernels/matmul/cublaslt.h: the vendor's GEMM, where it was found

// What a launcher may use besides its arguments. It enqueues on `stream` and returns; it never
// waits, allocates, or reads device memory, since it may be running under a graph capture.
struct CudaLaunch {
  void* stream = nullptr;                  // cudaStream_t
  const std::int32_t* position = nullptr;  // device: position of the step's row; null in prefill
  int context = 0;                         // positions of the cache: no grid needs more
  // Scratch that any launcher may overwrite, 256-byte aligned, at least cuda_workspace_bytes().
  std::byte* workspace = nullptr;
  std::size_t workspace_bytes = 0;
  CublasLt* blas = nullptr;  // null where the library is absent
};

// Scratch that covers every launcher: a whole weight matrix as f16 (prefill by dequantising), and
// kCudaSmallWorkspace for partial results and the vendor's library.
inline constexpr std::size_t kCudaSmallWorkspace = std::size_t{64} << 20;
constexpr std::size_t cuda_workspace_bytes(std::size_t largest_matrix_elements) {
  return 2 * largest_matrix_elements + kCudaSmallWorkspace;
}

// Rows of halves and of a matmul's output that exist in memory for t used ones: vendor GEMMs run on
// whole multiples. What the extra rows hold is free.
constexpr int cuda_padded_rows(int t) {
  return (t + 63) / 64 * 64;
}

// The one signature of all CUDA launchers; `args` points to the op's argument struct.
using CudaLaunchFunction = void (*)(const void* args, CudaLaunch& launch);

}  // namespace assay

// `symbol` as in VariantInfo::symbol, `Args` the op's argument struct, `function` a
// void(const Args&, CudaLaunch&).
#define ASSAY_CUDA_VARIANT(symbol, Args, function)                            \
  extern "C" {                                                                \
  extern std::uint64_t assay_count_##symbol;                                  \
  std::uint64_t assay_count_##symbol = 0;                                     \
  void assay_launch_##symbol(const void* args, ::assay::CudaLaunch& launch);  \
  void assay_launch_##symbol(const void* args, ::assay::CudaLaunch& launch) { \
    ++assay_count_##symbol;                                                   \
    function(*static_cast<const Args*>(args), launch);                        \
  }                                                                           \
  }                                                                           \
  static_assert(true)
