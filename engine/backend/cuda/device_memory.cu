#include <algorithm>

#include "engine/backend/cpu/buffers.h"
#include "engine/backend/cuda/device_memory.cuh"

namespace assay {
namespace {

std::size_t table_elements(const HyperParameters& hyper, int context) {
  return static_cast<std::size_t>(context) * static_cast<std::size_t>(hyper.head_dim / 2);
}

void upload(DeviceArray<float>& to, const float* from, std::size_t count) {
  cuda::check(cudaMemcpy(to.data(), from, count * sizeof(float), cudaMemcpyHostToDevice),
              "copy of rotation tables to the device");
}

}  // namespace

DeviceMemory::DeviceMemory(const Model& model, int context, int max_rows)
    : vocab_(model.hyper.vocab), row_scratch_(vocab_) {
  const HyperParameters& hyper = model.hyper;
  const auto rows = static_cast<std::size_t>(max_rows);
  for (int slot = 0; slot < kSlotCount; ++slot) {
    std::size_t count = rows * slot_width(hyper, static_cast<Slot>(slot));
    if (static_cast<Slot>(slot) == Slot::kLogits) count = static_cast<std::size_t>(hyper.vocab);
    slots_.emplace_back(count, "activations");
    memory_.slots[slot] = slots_.back().data();
  }
  const std::size_t widest = widest_input(hyper);
  codes_ = {rows * widest, "quantised activations"};
  scales_ = {rows * (widest / 32), "quantised activations"};
  sums_ = {rows * (widest / 32), "quantised activations"};
  halves_ = {rows * widest, "halved activations"};
  half_scales_ = {rows, "halved activations"};
  tokens_ = {rows, "tokens"};
  const std::uint64_t cache = kv_elements(hyper, context);
  k_cache_ = {cache, "the cache of keys"};
  v_cache_ = {cache, "the cache of values"};
  const std::size_t table = table_elements(hyper, context);
  cosine_ = {table, "rotation tables"};
  sine_ = {table, "rotation tables"};
  const RopeTable host(context, model);
  upload(cosine_, host.cosine(), table);
  upload(sine_, host.sine(), table);
  step_ = {1, "a step"};
  result_ = {1, "a result"};
  memory_.quantized = {codes_.data(), scales_.data(), sums_.data()};
  memory_.halved = {halves_.data(), half_scales_.data()};
  memory_.tokens = tokens_.data();
  memory_.k_cache = k_cache_.data();
  memory_.v_cache = v_cache_.data();
  memory_.head_stride = hyper.head_dim;
  memory_.position_stride = memory_.head_stride * hyper.kv_heads;
  memory_.layer_stride = memory_.position_stride * context;
  memory_.cosine = cosine_.data();
  memory_.sine = sine_.data();
  memory_.top = &result_.data()->row.top;  // addresses on the device
  memory_.nonfinite = &result_.data()->nonfinite;
}

void DeviceMemory::poison(cudaStream_t stream) const {
  for (const DeviceArray<float>& slot : slots_) slot.poison(stream);
  codes_.poison(stream);
  scales_.poison(stream);
  sums_.poison(stream);
  halves_.poison(stream);
  half_scales_.poison(stream);
  tokens_.poison(stream);
  k_cache_.poison(stream);
  v_cache_.poison(stream);
}

std::uint64_t device_cache_bytes(const HyperParameters& hyper, int context) {
  return 2 * sizeof(std::uint16_t) * kv_elements(hyper, context);
}

std::uint64_t device_activation_bytes(const HyperParameters& hyper, int context, int max_rows) {
  std::uint64_t row = sizeof(std::int32_t) + sizeof(float);
  for (int slot = 0; slot < kSlotCount; ++slot) {
    row += sizeof(float) * slot_width(hyper, static_cast<Slot>(slot));
  }
  const std::uint64_t widest = widest_input(hyper);
  row += 3 * widest + widest / 32 * (sizeof(float) + sizeof(std::int16_t));
  return row * static_cast<std::uint64_t>(max_rows) +
         sizeof(float) * static_cast<std::uint64_t>(hyper.vocab) + RowScratch::bytes(hyper.vocab) +
         2 * sizeof(float) * table_elements(hyper, context);
}

}  // namespace assay
