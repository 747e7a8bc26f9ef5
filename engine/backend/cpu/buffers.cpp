#include "engine/backend/cpu/buffers.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "engine/core/error.h"
#include "engine/core/memory.h"

namespace assay {
std::uint64_t kv_elements(const HyperParameters& hyper, int context) {
  return static_cast<std::uint64_t>(hyper.layers) * static_cast<std::uint64_t>(context) *
         static_cast<std::uint64_t>(hyper.kv_heads) * static_cast<std::uint64_t>(hyper.head_dim);
}

std::size_t slot_width(const HyperParameters& hyper, Slot slot) {
  switch (slot) {
    case Slot::kHidden:
    case Slot::kNormed:
    case Slot::kProjected:
      return static_cast<std::size_t>(hyper.embedding);
    case Slot::kQuery:
    case Slot::kAttended:
      return static_cast<std::size_t>(hyper.heads * hyper.head_dim);
    case Slot::kKey:
    case Slot::kValue:
      return static_cast<std::size_t>(hyper.kv_heads * hyper.head_dim);
    case Slot::kGate:
    case Slot::kUp:
      return static_cast<std::size_t>(hyper.feed_forward);
    default:
      return 0;
  }
}

std::size_t widest_input(const HyperParameters& hyper) {
  return static_cast<std::size_t>(
      std::max({hyper.embedding, hyper.heads * hyper.head_dim, hyper.feed_forward}));
}

MemoryPlan plan_memory(const Model& model, int context, int max_rows) {
  const HyperParameters& hyper = model.hyper;
  MemoryPlan plan{.weights = model.weight_bytes};
  plan.kv = 2 * 2 * kv_elements(hyper, context);
  std::uint64_t row = sizeof(std::int32_t);
  for (int slot = 0; slot < kSlotCount; ++slot) {
    row += sizeof(float) * slot_width(hyper, static_cast<Slot>(slot));
  }
  const std::uint64_t widest = widest_input(hyper);
  row += widest + widest / 32 * (sizeof(float) + sizeof(std::int16_t));
  plan.activations = row * static_cast<std::uint64_t>(max_rows) +
                     sizeof(float) * static_cast<std::uint64_t>(hyper.vocab) +
                     sizeof(float) * static_cast<std::uint64_t>(context) *
                         static_cast<std::uint64_t>(hyper.head_dim);
  return plan;
}

std::string to_string(const MemoryPlan& plan) {
  constexpr double kMiB = 1024.0 * 1024.0;
  return fmt::format("weights {:.1f} MiB (mapped), KV cache {:.1f} MiB, activations {:.1f} MiB",
                     static_cast<double>(plan.weights) / kMiB, static_cast<double>(plan.kv) / kMiB,
                     static_cast<double>(plan.activations) / kMiB);
}

void check_memory(const MemoryPlan& plan) {
  const std::uint64_t available = available_memory();
  if (available == 0 || plan.kv + plan.activations <= available) return;
  throw Error(ErrorKind::kEnvironment,
              fmt::format("out of memory: {}, but {:.1f} MiB are available; ask for less context",
                          to_string(plan), static_cast<double>(available) / (1024.0 * 1024.0)));
}

KvCache::KvCache(const HyperParameters& hyper, int context)
    : head_stride_(hyper.head_dim),
      position_stride_(head_stride_ * hyper.kv_heads),
      layer_stride_(position_stride_ * context),
      k_(kv_elements(hyper, context)),
      v_(kv_elements(hyper, context)) {}

Activations::Activations(const HyperParameters& hyper, int max_rows)
    : tokens_(static_cast<std::size_t>(max_rows)) {
  const std::size_t rows = static_cast<std::size_t>(max_rows);
  for (int slot = 0; slot < kSlotCount; ++slot) {
    slots_.emplace_back(rows * slot_width(hyper, static_cast<Slot>(slot)));
  }
  slots_[static_cast<std::size_t>(Slot::kLogits)] =
      AlignedArray<float>(static_cast<std::size_t>(hyper.vocab));
  const std::size_t widest = widest_input(hyper);
  q_ = AlignedArray<std::int8_t>(rows * widest);
  d_ = AlignedArray<float>(rows * (widest / 32));
  sum_ = AlignedArray<std::int16_t>(rows * (widest / 32));
}

QuantizedRows Activations::quantized() {
  return {.q = q_.data(), .d = d_.data(), .sum = sum_.data()};
}

RopeTable::RopeTable(int context, const Model& model) {
  const int head_dim = model.hyper.head_dim;
  const int pairs = head_dim / 2;
  cosine_ =
      AlignedArray<float>(static_cast<std::size_t>(context) * static_cast<std::size_t>(pairs));
  sine_ = AlignedArray<float>(static_cast<std::size_t>(context) * static_cast<std::size_t>(pairs));
  for (int i = 0; i < pairs; ++i) {
    const double factor = model.rope_factors.there() ? model.rope_factors.floats()[i] : 1.0;
    const double frequency =
        std::pow(model.hyper.rope_base, -2.0 * i / head_dim) / factor / model.hyper.rope_scale;
    for (int position = 0; position < context; ++position) {
      const std::size_t at = static_cast<std::size_t>(position) * static_cast<std::size_t>(pairs) +
                             static_cast<std::size_t>(i);
      cosine_.data()[at] = static_cast<float>(std::cos(position * frequency));
      sine_.data()[at] = static_cast<float>(std::sin(position * frequency));
    }
  }
}

}  // namespace assay
