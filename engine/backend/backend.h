// What runs a graph: the CPU, or a GPU.
//
// A backend owns the memory of one loaded model (cache, activations, uploaded weights) and executes
// the graph's lists through the variants that a service map names. Sessions, gates and timing all
// come through this interface; nothing in it says which of them is asking.
//
// Invariants:
//   1. Nothing is allocated after construction.
//   2. A pass reads the cache at positions below its own end only, so leftovers of earlier work
//      never matter.
//   3. Launches are known by the variants' own counters.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "engine/backend/device_span.h"
#include "engine/backend/row/row_reading.h"
#include "engine/backend/row/sampling.h"
#include "engine/graph/plan.h"

namespace assay {

class Backend {
 public:
  virtual ~Backend() = default;

  virtual int context() const = 0;   // positions of the cache
  virtual int max_rows() const = 0;  // of a prefill pass
  virtual int threads() const = 0;   // of the host that compute

  // Runs the prefill list over tokens at positions first, first + 1, ...
  virtual void prefill(std::span<const std::int32_t> tokens, int first) = 0;
  // Runs the decode list over one token.
  virtual void decode(std::int32_t token, int position) = 0;
  // Runs the output list over a row of the last pass and reads its logits where they lie; `draw`,
  // where it is not null, picks a token. Error(kInternal) when the argmax is no token.
  virtual RowReading read_row(int row, const Draw* draw) = 0;
  TopLogits output(int row) { return read_row(row, nullptr).top; }
  virtual std::span<const float> logits() = 0;  // (vocab) of the last row read, in host memory

  // Around a piece of work, to compare its time with the device's clock. Neither waits for anything
  // but the end of what was enqueued between them.
  virtual void begin_span() {}
  virtual DeviceSpan end_span() { return {}; }

  // Non-finite activations and cache values seen so far.
  virtual std::uint64_t nonfinite() = 0;
  // Launches per variant so far, as differences are read; variants that never ran are absent.
  virtual LaunchCounts launches() const = 0;
};

// What the launchers of a registry (kernels/registry.h, registry_cuda.h) have counted so far.
template <typename Registry>
LaunchCounts counted_by(const Registry& registry) {
  LaunchCounts counts;
  for (const auto& variant : registry) {
    if (*variant.launches > 0) counts[std::string(variant.info->id)] = *variant.launches;
  }
  return counts;
}

// Launches between two readings.
LaunchCounts launches_since(const LaunchCounts& before, const LaunchCounts& after);

}  // namespace assay
