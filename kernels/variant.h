// What a kernel variant is, without its code.
//
// A variant's id is `op[_type].backend.mechanism[k=v,...]`. Every op lists its variants in
// kernels/<op>/variants.cpp as plain data that is compiled everywhere; registry_cpu.cpp and
// registry_cuda.cpp pair the infos with launch functions where the code exists. A lever is one
// parameter, or the mechanism, of an op; levers are derived from these lists and written down
// nowhere else.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/device.h"
#include "kernels/weight_layout.h"

namespace assay {

// Which half of inference an op's work belongs to.
enum class Phase { kPrefill, kDecode, kBoth };

struct OpInfo {
  std::string_view op;  // "matvec_q6k"
  Phase phase;
  // Lengths (rows of a prompt, or cached positions) at which the op's own code changes path. The
  // gates run contexts on both sides of each.
  std::span<const int> edges;
};

// The form in which a variant multiplies its activations. A linear op is given them so; attention
// rounds its f32 queries by itself.
enum class ActivationForm {
  kOfType,  // quantised for quantised weights, f32 for float weights
  kHalf,    // f16 with a scale per row (kernels/halve_activations)
};

struct VariantInfo {
  std::string_view id;         // "matvec_q6k.cpu.avx2[rows=4]"
  std::string_view symbol;     // launch symbol without prefix: "matvec_q6k_cpu_avx2_rows4"
  std::string_view source;     // file of the mechanism, from the project's root
  DeviceLevel needs;           // the least device that can run it
  std::span<const int> edges;  // as OpInfo::edges, for this variant's parameters
  std::string_view summary;    // one line: what it does
  // Of the weights of a linear op. On a GPU a tensor has the layout that the variant which serves
  // its decode asks for; variants of prefill and embed read both.
  WeightLayout layout = WeightLayout::kRaw;
  ActivationForm reads = ActivationForm::kOfType;
};

struct OpVariants {
  OpInfo op;
  std::span<const VariantInfo> variants;
};

// Every op with its variants, in a fixed order (kernels/all_variants.cpp).
std::span<const OpVariants> all_ops();
const OpVariants* find_op(std::string_view op);
const VariantInfo* find_variant(std::string_view id);

// An id taken apart.
struct VariantName {
  std::string op;                                           // "matvec_q6k"
  std::string backend;                                      // "cpu"
  std::string mechanism;                                    // "avx2"
  std::vector<std::pair<std::string, std::string>> params;  // {"rows", "4"}
};
// Nothing when the text is not of an id's form.
std::optional<VariantName> parse_variant_id(std::string_view id);
// The text of an id; parse_variant_id's inverse.
std::string to_string(const VariantName& name);
// "matvec_q6k.cpu.avx2[rows=4]" -> "matvec_q6k_cpu_avx2_rows4": a C identifier.
std::string launch_symbol(const VariantName& name);

}  // namespace assay
