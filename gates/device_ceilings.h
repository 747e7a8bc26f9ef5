// What a GPU can do at most, as it was measured: the bar that a profile holds kernels against.
//
// Not a data sheet: each figure is a program's own best on that card. A small op whose operands
// stay in the L2 cache may read faster than the ceiling of a stream from memory.
#pragma once

#include <string_view>

namespace assay {

struct DeviceCeilings {
  std::string_view device;  // as the driver names it
  double bytes_per_s;       // a stream that is read, from memory
  double gemm_flops;        // FLOP/s of the vendor's f16 GEMM
  double mma_flops;         // FLOP/s of mma.sync f16 with f32 sums
  double kernel_s;          // one more dependent kernel in a captured graph
};

// Null for a device that was not measured.
const DeviceCeilings* find_device_ceilings(std::string_view device);

}  // namespace assay
