// Names of synthetic models: `synth:SHAPE-QUANT`, or `synth:SHAPE-QUANT@SEED` for other weights of
// the same shape. Shapes are those of real models, but for `tiny`, which is for tests.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace assay {

struct SynthShape {
  std::string_view name;
  std::string_view architecture;  // "qwen2": biases of q, k, v; "llama": none
  int layers;
  int embedding;  // width of the residual stream, multiple of 256
  int heads;
  int kv_heads;
  int head_dim;
  int feed_forward;  // multiple of 256
  int vocab;
  int context;
  std::uint32_t rope_base;
  float rms_eps;
};
std::span<const SynthShape> synth_shapes();

enum class SynthQuant {
  kQ4KM,  // q4_K; q6_K in attn_v and ffn_down of half of the layers, and in the output
  kQ8_0,
  kF16,
};
std::string_view to_string(SynthQuant quant);

struct SynthModel {
  const SynthShape* shape = nullptr;
  SynthQuant quant = SynthQuant::kQ4KM;
  std::uint64_t seed = 1;
};

inline constexpr std::string_view kSynthPrefix = "synth:";

// With or without the prefix. Error(kUsage) lists what is known.
SynthModel parse_synth_name(const std::string& name);
// With the prefix; the seed where it is not the default.
std::string name_of(const SynthModel& model);

}  // namespace assay
