// A stream of reproducible numbers (mix64.h), for the host.
#pragma once

#include <cstdint>

#include "engine/core/mix64.h"

namespace assay {

class MixStream {
 public:
  explicit MixStream(std::uint64_t seed = 0) : state_(seed) {}
  std::uint64_t next() { return mix64(state_ += kMix64Step); }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }  // [0, 1)

 private:
  std::uint64_t state_;
};

}  // namespace assay
