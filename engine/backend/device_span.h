// What a device's own clocks counted over a piece of work.
#pragma once

#include <cstdint>

namespace assay {

// Zeros where the backend has no device of its own.
struct DeviceSpan {
  std::int64_t ns = 0;      // of the device's timer, from before the first kernel to after the last
  std::int64_t cycles = 0;  // of a multiprocessor's clock meanwhile, mean over all of them
};

}  // namespace assay
