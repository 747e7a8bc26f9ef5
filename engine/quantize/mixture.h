// Which element type each tensor of a model gets, by the name of a mixture.
//
// "q4_k_m" is the mixture that such files usually have: q4_K, but q6_K for the output matrix (the
// embedding where the two are tied) and for attn_v and ffn_down of half the layers: the first and
// the last eighth and every third between. Vectors stay f32. A row that is no whole number of
// blocks gets q8_0, and f16 where even that does not divide it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/gguf/file.h"

namespace assay {

struct Mixture {
  std::string_view name;    // "q4_k_m"
  std::uint32_t file_type;  // general.file_type
  DType most;               // of most matrices
  std::string_view about;   // for a list
};

// f32, f16, bf16, q8_0, q6_k, q4_k_m.
std::vector<Mixture> all_mixtures();
std::optional<Mixture> find_mixture(std::string_view name);

struct TensorChoice {
  DType dtype = DType::kF32;
  DType wanted = DType::kF32;  // another one where the row's length forbids it
};

// In the order of the file's table. `layers` from the file's metadata.
std::vector<TensorChoice> choose_types(const Mixture& mixture, const GgufFile& file, int layers);

}  // namespace assay
