// kernels/weight_layout.h's repack on the GPU: the same bytes, at load time and without the host.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/weight_layout.h"

namespace assay::cuda {

// raw -> planes and back on device memory, `blocks` blocks; enqueued on `stream` (a cudaStream_t).
// Source and destination do not overlap. As on the host, a type without planes is left alone.
void repack_to_planes(DType dtype, const std::byte* raw, std::int64_t blocks, std::byte* planes,
                      void* stream);
void repack_from_planes(DType dtype, const std::byte* planes, std::int64_t blocks, std::byte* raw,
                        void* stream);

}  // namespace assay::cuda
