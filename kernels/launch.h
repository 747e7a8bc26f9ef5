// How a variant's code is reached.
//
// A mechanism file ends with one ASSAY_VARIANT line per parameter point. The line defines the
// variant's launch function and its launch counter, both with C names that follow from the id, so
// that the registry, the code hash and the liveness check all speak of the same symbol. The
// counter is bumped in the launcher and nowhere else.
#pragma once

#include <cstdint>

#include "engine/core/thread_pool.h"

namespace assay {

class CudaStage;  // kernels/cuda_stage.h

// What a kernel may use besides its arguments.
struct Launch {
  ThreadPool& pool;
  CudaStage* stage = nullptr;  // set where the function is a stage that carries operands to a GPU
};

// The one signature of all launchers; `args` points to the op's argument struct.
using LaunchFunction = void (*)(const void* args, Launch& launch);

}  // namespace assay

// `symbol` as in VariantInfo::symbol, `Args` the op's argument struct, `function` a
// void(const Args&, Launch&).
#define ASSAY_VARIANT(symbol, Args, function)                             \
  extern "C" {                                                            \
  extern std::uint64_t assay_count_##symbol;                              \
  std::uint64_t assay_count_##symbol = 0;                                 \
  void assay_launch_##symbol(const void* args, ::assay::Launch& launch);  \
  void assay_launch_##symbol(const void* args, ::assay::Launch& launch) { \
    ++assay_count_##symbol;                                               \
    function(*static_cast<const Args*>(args), launch);                    \
  }                                                                       \
  }                                                                       \
  static_assert(true)
