// What checks may see and do inside a CUDA backend; nothing that serves a request comes here.
//
//   auto& inside = dynamic_cast<CudaInspection&>(*backend);
//
// Two questions need it. Is the whole cache the same, and not only the logits that come of it? And
// does a pass, or the replay of a captured graph, read anything that it has not written, or memory
// that is another backend's? Whoever asks fills that memory with NaN first.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

namespace assay {

class CudaInspection {
 public:
  using TakeHalves = std::function<void(std::span<const std::uint16_t>)>;

  virtual ~CudaInspection() = default;
  // The cache at positions 0 .. positions - 1, `positions` within the context: every layer's keys,
  // then every layer's values, a layer a call as f16 (positions, kv_heads, head_dim).
  virtual void read_cache(int positions, const TakeHalves& take) = 0;
  // Sets all bits, which is NaN, of cache, activations and workspace. Weights, rotation tables and
  // the count of non-finite values stay.
  virtual void poison() = 0;
};

}  // namespace assay
