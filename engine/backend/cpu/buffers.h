// Memory of a loaded model on the CPU: KV cache, activations of one chunk, rotation tables. All of
// it is allocated once, at load; a pass allocates nothing.
//
// KV cache: f16, [layer][position][kv_head][head_dim]; K and V are separate arrays of that shape.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/graph/graph.h"
#include "kernels/quantize_activations/quantize_activations.h"

namespace assay {

// 64-byte aligned, zeroed, fixed size.
template <typename T>
class AlignedArray {
 public:
  AlignedArray() = default;
  explicit AlignedArray(std::size_t count)
      : data_(static_cast<T*>(::operator new[](count * sizeof(T), std::align_val_t{64}))) {
    for (std::size_t i = 0; i < count; ++i) data_.get()[i] = T{};
  }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }

 private:
  struct Delete {
    void operator()(T* pointer) const { ::operator delete[](pointer, std::align_val_t{64}); }
  };
  std::unique_ptr<T[], Delete> data_;
};

// Elements of the cache's keys; its values are as many.
std::uint64_t kv_elements(const HyperParameters& hyper, int context);
// Elements per row of a float slot; 0 for slots that hold something else.
std::size_t slot_width(const HyperParameters& hyper, Slot slot);
// Elements of the widest row that a linear layer reads.
std::size_t widest_input(const HyperParameters& hyper);

struct MemoryPlan {
  std::uint64_t weights = 0;      // bytes, mapped, not allocated
  std::uint64_t kv = 0;           // bytes of the cache
  std::uint64_t activations = 0;  // bytes of activations and tables
};
MemoryPlan plan_memory(const Model& model, int context, int max_rows);
std::string to_string(const MemoryPlan& plan);
// Error(kEnvironment) when the machine has less memory available than `plan` allocates.
void check_memory(const MemoryPlan& plan);

class KvCache {
 public:
  KvCache(const HyperParameters& hyper, int context);
  std::uint16_t* k(int layer) { return k_.data() + layer * layer_stride_; }  // position 0, head 0
  std::uint16_t* v(int layer) { return v_.data() + layer * layer_stride_; }
  std::int64_t layer_stride() const { return layer_stride_; }        // elements
  std::int64_t position_stride() const { return position_stride_; }  // elements
  std::int64_t head_stride() const { return head_stride_; }          // elements

 private:
  std::int64_t head_stride_;
  std::int64_t position_stride_;
  std::int64_t layer_stride_;
  AlignedArray<std::uint16_t> k_;
  AlignedArray<std::uint16_t> v_;
};

class Activations {
 public:
  Activations(const HyperParameters& hyper, int max_rows);
  float* floats(Slot slot) { return slots_[static_cast<std::size_t>(slot)].data(); }
  // Rows of `quantized` as blocks of k elements.
  QuantizedRows quantized();
  std::int32_t* tokens() { return tokens_.data(); }

 private:
  std::vector<AlignedArray<float>> slots_;
  AlignedArray<std::int32_t> tokens_;
  AlignedArray<std::int8_t> q_;
  AlignedArray<float> d_;
  AlignedArray<std::int16_t> sum_;
};

// cos and sin of position * base^(-2 i / head_dim), divided by the pair's factor and the scale
// where the model has them; computed in fp64, rounded to f32.
class RopeTable {
 public:
  RopeTable(int context, const Model& model);
  const float* cosine() const { return cosine_.data(); }  // (context, head_dim / 2)
  const float* sine() const { return sine_.data(); }      // (context, head_dim / 2)

 private:
  AlignedArray<float> cosine_;
  AlignedArray<float> sine_;
};

}  // namespace assay
