#include "engine/model/hyper_parameters.h"

#include <fmt/format.h>
#include <cmath>

#include "engine/core/error.h"
#include "engine/gguf/file.h"

namespace assay {
namespace {

constexpr std::uint32_t kLargest = 1u << 24;  // of any count; far above every real model

[[noreturn]] void refuse(const GgufFile& file, const std::string& text) {
  throw Error(ErrorKind::kUsage, fmt::format("{}: {}", file.name(), text));
}

int count(const GgufFile& file, std::string_view key, std::uint32_t value) {
  if (value < 1 || value > kLargest) {
    refuse(file, fmt::format("{} is {}; expected 1..{}", key, value, kLargest));
  }
  return static_cast<int>(value);
}

int get_count(const GgufFile& file, std::string_view key) {
  return count(file, key, file.get_u32(key));
}

double get_positive(const GgufFile& file, std::string_view key, float value) {
  if (!std::isfinite(value) || value <= 0) {
    refuse(file, fmt::format("{} is {}; expected a positive number", key, value));
  }
  return value;
}

void read_heads(const GgufFile& file, HyperParameters& hyper) {
  hyper.heads = get_count(file, "qwen2.attention.head_count");
  const auto kv_heads = file.find_u32("qwen2.attention.head_count_kv");
  hyper.kv_heads = kv_heads ? count(file, "qwen2.attention.head_count_kv", *kv_heads) : hyper.heads;
  if (hyper.heads % hyper.kv_heads != 0) {
    refuse(file, fmt::format("{} query heads cannot share {} KV heads evenly", hyper.heads,
                             hyper.kv_heads));
  }
  const auto key_length = file.find_u32("qwen2.attention.key_length");
  if (key_length) {
    hyper.head_dim = count(file, "qwen2.attention.key_length", *key_length);
  } else if (hyper.embedding % hyper.heads != 0) {
    refuse(file, fmt::format("embedding {} is no multiple of {} heads, and there is no "
                             "qwen2.attention.key_length",
                             hyper.embedding, hyper.heads));
  } else {
    hyper.head_dim = hyper.embedding / hyper.heads;
  }
  if (hyper.head_dim % 8 != 0) {
    refuse(file, fmt::format("head_dim {} is no multiple of 8", hyper.head_dim));
  }
  const auto value_length = file.find_u32("qwen2.attention.value_length");
  if (value_length && *value_length != static_cast<std::uint32_t>(hyper.head_dim)) {
    refuse(file, fmt::format("qwen2.attention.value_length is {}; expected {}, as the keys have",
                             *value_length, hyper.head_dim));
  }
}

void read_rope(const GgufFile& file, HyperParameters& hyper) {
  const auto base = file.find_f32("qwen2.rope.freq_base");
  hyper.rope_base = base ? get_positive(file, "qwen2.rope.freq_base", *base) : 10000.0;
  const auto scaling = file.find_string("qwen2.rope.scaling.type");
  if (scaling && *scaling != "none") {
    refuse(file, fmt::format("qwen2.rope.scaling.type is '{}'; known: none", *scaling));
  }
  const auto dimensions = file.find_u32("qwen2.rope.dimension_count");
  if (dimensions && *dimensions != static_cast<std::uint32_t>(hyper.head_dim)) {
    refuse(file, fmt::format("qwen2.rope.dimension_count is {}; expected head_dim, {}", *dimensions,
                             hyper.head_dim));
  }
}

}  // namespace

HyperParameters read_hyper_parameters(const GgufFile& file) {
  HyperParameters hyper;
  hyper.architecture = file.get_string("general.architecture");
  if (hyper.architecture != "qwen2") {
    refuse(file, fmt::format("general.architecture is '{}'; known: qwen2", hyper.architecture));
  }
  hyper.name = file.find_string("general.name").value_or("");
  hyper.layers = get_count(file, "qwen2.block_count");
  hyper.embedding = get_count(file, "qwen2.embedding_length");
  hyper.feed_forward = get_count(file, "qwen2.feed_forward_length");
  hyper.context = get_count(file, "qwen2.context_length");
  const auto epsilon = file.get_f32("qwen2.attention.layer_norm_rms_epsilon");
  hyper.rms_eps =
      static_cast<float>(get_positive(file, "qwen2.attention.layer_norm_rms_epsilon", epsilon));
  read_heads(file, hyper);
  read_rope(file, hyper);
  return hyper;
}

}  // namespace assay
