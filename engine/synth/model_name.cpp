#include "engine/synth/model_name.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <vector>

#include "engine/core/error.h"

namespace assay {
namespace {

constexpr std::array<SynthShape, 5> kShapes{{
    {"tiny", "qwen2", 4, 512, 4, 2, 128, 1024, 2000, 4096, 10'000, 1e-6f},
    {"qwen2.5-1.5b", "qwen2", 28, 1536, 12, 2, 128, 8960, 151'936, 32'768, 1'000'000, 1e-6f},
    {"qwen2.5-7b", "qwen2", 28, 3584, 28, 4, 128, 18'944, 152'064, 32'768, 1'000'000, 1e-6f},
    {"qwen2.5-14b", "qwen2", 48, 5120, 40, 8, 128, 13'824, 152'064, 32'768, 1'000'000, 1e-6f},
    {"llama-3-8b", "llama", 32, 4096, 32, 8, 128, 14'336, 128'256, 8192, 500'000, 1e-5f},
}};

constexpr std::array kQuants{SynthQuant::kQ4KM, SynthQuant::kQ8_0, SynthQuant::kF16};

std::string known() {
  std::vector<std::string_view> shapes;
  for (const SynthShape& shape : kShapes) shapes.push_back(shape.name);
  std::vector<std::string_view> quants;
  for (const SynthQuant quant : kQuants) quants.push_back(to_string(quant));
  return fmt::format("shapes: {}; quants: {}; an example: synth:tiny-q8_0", fmt::join(shapes, ", "),
                     fmt::join(quants, ", "));
}

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw Error(ErrorKind::kUsage, fmt::format("{}: {}", name, what));
}

std::uint64_t read_seed(const std::string& name, std::string_view text) {
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error == std::errc{} && end == text.data() + text.size()) return seed;
  refuse(name, fmt::format("the seed behind @ is `{}`; write a whole number from 0 to {}", text,
                           UINT64_MAX));
}

// Takes the shape off the front of `text`, with the dash behind it.
const SynthShape& take_shape(const std::string& name, std::string_view& text) {
  for (const SynthShape& shape : kShapes) {
    if (!text.starts_with(shape.name)) continue;
    const std::string_view rest = text.substr(shape.name.size());
    if (!rest.empty() && rest[0] != '-') continue;
    text = rest.empty() ? rest : rest.substr(1);
    return shape;
  }
  refuse(name, "no synthetic model has this shape: write SHAPE-QUANT; " + known());
}

}  // namespace

std::span<const SynthShape> synth_shapes() {
  return kShapes;
}

std::string_view to_string(SynthQuant quant) {
  switch (quant) {
    case SynthQuant::kQ4KM:
      return "q4_k_m";
    case SynthQuant::kQ8_0:
      return "q8_0";
    case SynthQuant::kF16:
      return "f16";
  }
  return "";
}

SynthModel parse_synth_name(const std::string& name) {
  std::string_view text = name;
  if (text.starts_with(kSynthPrefix)) text.remove_prefix(kSynthPrefix.size());
  SynthModel model;
  const std::size_t at = text.find('@');
  if (at != std::string_view::npos) {
    model.seed = read_seed(name, text.substr(at + 1));
    text = text.substr(0, at);
  }
  model.shape = &take_shape(name, text);
  for (const SynthQuant quant : kQuants) {
    if (text != to_string(quant)) continue;
    model.quant = quant;
    return model;
  }
  refuse(name, fmt::format("{}: write SHAPE-QUANT; {}",
                           text.empty() ? std::string("the quant is missing")
                                        : fmt::format("no synthetic model has quant `{}`", text),
                           known()));
}

std::string name_of(const SynthModel& model) {
  std::string name =
      fmt::format("{}{}-{}", kSynthPrefix, model.shape->name, to_string(model.quant));
  if (model.seed != SynthModel{}.seed) name += fmt::format("@{}", model.seed);
  return name;
}

}  // namespace assay
