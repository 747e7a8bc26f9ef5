// Cycles of the multiprocessors' clocks against the GPU's timer: the clock that work really ran at.
//
// A small kernel before the work and one behind it note both clocks on every multiprocessor it
// reaches; a multiprocessor that both reached gives a difference. What the driver says of the clock
// is a setting or an average, this is a count.
#pragma once

#include "engine/backend/cuda/device_array.cuh"
#include "engine/backend/device_span.h"

namespace assay {

struct ClockStamp {
  std::uint64_t cycles;
  std::uint64_t ns;
};

class ClockSpan {
 public:
  ClockSpan();
  void begin(cudaStream_t stream) const;
  // Waits for the stream.
  DeviceSpan end(cudaStream_t stream);

 private:
  int blocks_;  // enough to reach every multiprocessor
  DeviceArray<ClockStamp> device_;
  PinnedArray<ClockStamp> host_;
};

}  // namespace assay
