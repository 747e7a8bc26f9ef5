// A KV cache of the sweep in memory: one of two orders, with pads, NaN wherever nothing was
// written.
#pragma once

#include "kernels/cuda_sweep/device.cuh"
#include "kernels/cuda_sweep/draw.cuh"

namespace assay::sweep {

class CacheMemory {
 public:
  // Heads of 128 are the outer dimension, others stand side by side at each position. Room for
  // three positions more.
  CacheMemory(int positions, int kv_heads, int head_dim) {
    const std::int64_t row = head_dim + kPad;
    const bool planes = head_dim == 128;
    cache_.kv_heads = kv_heads;
    cache_.head_dim = head_dim;
    cache_.position_stride = planes ? row : kv_heads * row + kPad;
    cache_.head_stride = planes ? (positions + 3) * row + kPad : row;
    const std::int64_t elements =
        planes ? kv_heads * cache_.head_stride : (positions + 3) * cache_.position_stride;
    k_ = DeviceArray<std::uint16_t>(static_cast<std::size_t>(elements));
    v_ = DeviceArray<std::uint16_t>(static_cast<std::size_t>(elements));
    cache_.k = k_.data();
    cache_.v = v_.data();
  }
  const Cache& view() const { return cache_; }
  void poison(cudaStream_t stream) const {
    k_.poison(stream);
    v_.poison(stream);
  }

 private:
  static constexpr std::int64_t kPad = 8;  // elements
  Cache cache_{};
  DeviceArray<std::uint16_t> k_;
  DeviceArray<std::uint16_t> v_;
};

// A copy of a cache in which only positions 0 .. shown - 1 are no NaN, as in a run that has come so
// far.
class GrowingCache {
 public:
  GrowingCache(int positions, const Cache& source)
      : source_(source), memory_(positions, source.kv_heads, source.head_dim) {}
  const Cache& view() const { return memory_.view(); }
  void hide_all(cudaStream_t stream) {
    memory_.poison(stream);
    shown_ = 0;
  }
  // `positions` only grows.
  void show(int positions, cudaStream_t stream) {
    copy_positions(source_, shown_, positions, memory_.view(), stream);
    shown_ = std::max(shown_, positions);
  }

 private:
  Cache source_;
  CacheMemory memory_;
  int shown_ = 0;
};

}  // namespace assay::sweep
