#include "engine/model/hyper_parameters.h"

#include <fmt/format.h>
#include <cmath>

#include "engine/core/error.h"
#include "engine/core/printable.h"
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

struct Architecture {
  std::string_view name;
  bool interleaved;  // pairs of the rotation
};
constexpr Architecture kArchitectures[] = {{"llama", true}, {"qwen2", false}, {"qwen3", false}};

// Keys of one architecture: "attention.head_count" -> "llama.attention.head_count".
struct Keys {
  std::string architecture;
  std::string operator()(std::string_view key) const {
    return fmt::format("{}.{}", architecture, key);
  }
};

void read_head_dim(const GgufFile& file, const Keys& key, HyperParameters& hyper) {
  const std::string key_length = key("attention.key_length");
  const auto stated = file.find_u32(key_length);
  if (stated) {
    hyper.head_dim = count(file, key_length, *stated);
  } else if (hyper.embedding % hyper.heads != 0) {
    refuse(file, fmt::format("embedding {} is no multiple of {} heads, and there is no {}",
                             hyper.embedding, hyper.heads, key_length));
  } else {
    hyper.head_dim = hyper.embedding / hyper.heads;
  }
  if (hyper.head_dim % 8 != 0) {
    refuse(file, fmt::format("head_dim {} is no multiple of 8", hyper.head_dim));
  }
  const auto value_length = file.find_u32(key("attention.value_length"));
  if (value_length && *value_length != static_cast<std::uint32_t>(hyper.head_dim)) {
    refuse(file, fmt::format("{} is {}; expected {}, as the keys have",
                             key("attention.value_length"), *value_length, hyper.head_dim));
  }
}

void read_heads(const GgufFile& file, const Keys& key, HyperParameters& hyper) {
  hyper.heads = get_count(file, key("attention.head_count"));
  const std::string kv_key = key("attention.head_count_kv");
  const auto kv_heads = file.find_u32(kv_key);
  hyper.kv_heads = kv_heads ? count(file, kv_key, *kv_heads) : hyper.heads;
  if (hyper.heads % hyper.kv_heads != 0) {
    refuse(file, fmt::format("{} query heads cannot share {} KV heads evenly", hyper.heads,
                             hyper.kv_heads));
  }
  read_head_dim(file, key, hyper);
}

void read_rope(const GgufFile& file, const Keys& key, HyperParameters& hyper) {
  const std::string base_key = key("rope.freq_base");
  const auto base = file.find_f32(base_key);
  hyper.rope_base = base ? get_positive(file, base_key, *base) : 10000.0;
  const std::string type_key = key("rope.scaling.type");
  const auto scaling = file.find_string(type_key);
  if (scaling && *scaling != "none" && *scaling != "linear") {
    refuse(file, fmt::format("{} is '{}'; known: none, linear", type_key, printable(*scaling)));
  }
  const std::string factor_key = key("rope.scaling.factor");
  const auto factor = file.find_f32(factor_key);
  if (scaling && *scaling == "linear" && !factor) {
    refuse(file, fmt::format("{} is 'linear', and there is no {}", type_key, factor_key));
  }
  if (factor && (!scaling || *scaling == "linear")) {
    hyper.rope_scale = get_positive(file, factor_key, *factor);
  }
  const auto dimensions = file.find_u32(key("rope.dimension_count"));
  if (dimensions && *dimensions != static_cast<std::uint32_t>(hyper.head_dim)) {
    refuse(file, fmt::format("{} is {}; expected head_dim, {}", key("rope.dimension_count"),
                             *dimensions, hyper.head_dim));
  }
}

const Architecture& architecture_of(const GgufFile& file) {
  const std::string_view name = file.get_string("general.architecture");
  for (const Architecture& known : kArchitectures) {
    if (known.name == name) return known;
  }
  refuse(file,
         fmt::format("general.architecture is '{}'; known: llama, qwen2, qwen3", printable(name)));
}

// A factor that models of other families have: 0 and 1 change nothing.
void refuse_factor(const GgufFile& file, const std::string& key) {
  const auto factor = file.find_f32(key);
  if (!factor || *factor == 0 || *factor == 1) return;
  refuse(file, fmt::format("{} is {}; this engine computes without it", key, *factor));
}

// What a file says of its arithmetic and this engine does not do. llama.cpp too reads a sliding
// window for other architectures only, and converters write one for these where the model's own
// settings have it switched off; it is refused where it could matter, below the context's length.
void refuse_other_arithmetic(const GgufFile& file, const Keys& key, int context) {
  const auto type = file.find_string("general.type");
  if (type && *type != "model") {
    refuse(file, fmt::format("general.type is '{}'; expected 'model'", printable(*type)));
  }
  const std::string window_key = key("attention.sliding_window");
  const auto window = file.find_u32(window_key);
  if (window && *window > 0 && *window < static_cast<std::uint32_t>(context)) {
    refuse(file, fmt::format("{} is {}, less than the context of {}; this engine attends to all "
                             "positions",
                             window_key, *window, context));
  }
  const std::string expert_key = key("expert_count");
  const auto experts = file.find_u32(expert_key);
  if (experts && *experts > 0) {
    refuse(file,
           fmt::format("{} is {}; this engine has no mixtures of experts", expert_key, *experts));
  }
  const std::string causal_key = key("attention.causal");
  if (!file.find_bool(causal_key).value_or(true)) {
    refuse(file,
           fmt::format("{} is false; this engine generates text, from left to right", causal_key));
  }
  for (const char* factor :
       {"attn_logit_softcapping", "final_logit_softcapping", "logit_scale", "embedding_scale",
        "residual_scale", "attention.scale", "rope.scaling.attn_factor"}) {
    refuse_factor(file, key(factor));
  }
}

}  // namespace

HyperParameters read_hyper_parameters(const GgufFile& file) {
  const Architecture& architecture = architecture_of(file);
  HyperParameters hyper;
  hyper.architecture = architecture.name;
  hyper.rope_interleaved = architecture.interleaved;
  const Keys key{hyper.architecture};
  hyper.name = file.find_string("general.name").value_or("");
  hyper.layers = get_count(file, key("block_count"));
  hyper.embedding = get_count(file, key("embedding_length"));
  hyper.feed_forward = get_count(file, key("feed_forward_length"));
  hyper.context = get_count(file, key("context_length"));
  const std::string epsilon = key("attention.layer_norm_rms_epsilon");
  hyper.rms_eps = static_cast<float>(get_positive(file, epsilon, file.get_f32(epsilon)));
  read_heads(file, key, hyper);
  read_rope(file, key, hyper);
  refuse_other_arithmetic(file, key, hyper.context);
  return hyper;
}

}  // namespace assay
