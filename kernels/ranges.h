// parallel_for without std::function, for files compiled with wider instruction sets.
//
// std::function's inline members have weak linkage: compiled in an AVX2 file they could be the
// copies that the linker keeps for the whole program. Here only a plain function pointer crosses
// over, and the template is static, so nothing of it is shared between files.
#pragma once

#include <cstdint>

#include "kernels/launch.h"

namespace assay {

using RangeFunction = void (*)(const void* body, std::int64_t begin, std::int64_t end);
void parallel_ranges(Launch& launch, std::int64_t n, std::int64_t grain, RangeFunction function,
                     const void* body);

// body(begin, end) over disjoint ranges that cover [0, n), starts multiples of `grain`.
template <typename Body>
static inline void for_ranges(Launch& launch, std::int64_t n, std::int64_t grain,
                              const Body& body) {
  parallel_ranges(
      launch, n, grain,
      [](const void* context, std::int64_t begin, std::int64_t end) {
        (*static_cast<const Body*>(context))(begin, end);
      },
      &body);
}

// `bytes` of memory that belongs to the calling thread until its next call, 64-byte aligned. Grows
// on first use and is kept.
void* thread_scratch(std::int64_t bytes);

}  // namespace assay
