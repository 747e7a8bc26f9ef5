// What launchers find out before a launch: the stream, grid sizes, and whether pointers permit wide
// loads.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "engine/core/error.h"
#include "kernels/cuda_launch.h"

namespace assay::cuda {

inline cudaStream_t stream_of(const CudaLaunch& launch) {
  return static_cast<cudaStream_t>(launch.stream);
}

// Groups of `per` that `count` things need.
inline unsigned groups_of(std::int64_t count, std::int64_t per) {
  return static_cast<unsigned>((count + per - 1) / per);
}

inline bool aligned(std::size_t bytes, std::initializer_list<const void*> pointers) {
  for (const void* pointer : pointers) {
    if (reinterpret_cast<std::uintptr_t>(pointer) % bytes != 0) return false;
  }
  return true;
}

// For kernels without a form for other pointers.
inline void require_aligned(const char* variant, std::size_t bytes,
                            std::initializer_list<const void*> pointers) {
  if (aligned(bytes, pointers)) return;
  throw Error(ErrorKind::kInternal, std::string(variant) + ": an operand is not aligned to " +
                                        std::to_string(bytes) + " bytes");
}

}  // namespace assay::cuda
