#include "engine/quantize/mixture.h"

#include <charconv>

namespace assay {
namespace {

// Half the layers: the first and last eighth, and every third of the others.
bool gets_more_bits(int layer, int layers) {
  const int eighth = layers / 8;
  return layer < eighth || layer >= 7 * layers / 8 || (layer - eighth) % 3 == 2;
}

// "blk.12.ffn_down.weight" -> 12; -1 for a tensor of no layer.
int layer_of(std::string_view name) {
  if (!name.starts_with("blk.")) return -1;
  int layer = -1;
  std::from_chars(name.data() + 4, name.data() + name.size(), layer);
  return layer;
}

DType wanted_type(const Mixture& mixture, const GgufTensor& tensor, bool tied, int layers) {
  if (tensor.dims == 1) return DType::kF32;
  if (mixture.name != "q4_k_m") return mixture.most;
  if (tensor.name == (tied ? "token_embd.weight" : "output.weight")) return DType::kQ6K;
  const bool wide =
      tensor.name.ends_with(".attn_v.weight") || tensor.name.ends_with(".ffn_down.weight");
  return wide && gets_more_bits(layer_of(tensor.name), layers) ? DType::kQ6K : mixture.most;
}

}  // namespace

std::vector<Mixture> all_mixtures() {
  return {{"f32", 0, DType::kF32, "every weight as it is, or dequantised"},
          {"f16", 1, DType::kF16, "matrices f16"},
          {"bf16", 32, DType::kBF16, "matrices bf16"},
          {"q8_0", 7, DType::kQ8_0, "matrices q8_0"},
          {"q6_k", 18, DType::kQ6K, "matrices q6_K"},
          {"q4_k_m", 15, DType::kQ4K, "matrices q4_K, some q6_K"}};
}

std::optional<Mixture> find_mixture(std::string_view name) {
  for (const Mixture& mixture : all_mixtures()) {
    if (mixture.name == name) return mixture;
  }
  return std::nullopt;
}

std::vector<TensorChoice> choose_types(const Mixture& mixture, const GgufFile& file, int layers) {
  const bool tied = file.find_tensor("output.weight") == nullptr;
  std::vector<TensorChoice> choices;
  for (const GgufTensor& tensor : file.tensors()) {
    TensorChoice choice;
    choice.wanted = wanted_type(mixture, tensor, tied, layers);
    choice.dtype = choice.wanted;
    for (const DType other : {DType::kQ8_0, DType::kF16}) {
      if (tensor.ne[0] % static_cast<std::uint64_t>(traits(choice.dtype).block) != 0) {
        choice.dtype = other;
      }
    }
    choices.push_back(choice);
  }
  return choices;
}

}  // namespace assay
