#include "experiments/op_facts.h"

#include <algorithm>

#include "engine/core/error.h"
#include "kernels/variant.h"

namespace assay {

std::string reads_of(const std::string& variant) {
  const VariantInfo* info = find_variant(variant);
  return info != nullptr && info->reads == ActivationForm::kHalf ? "half" : "";
}

std::string planted_op(std::string_view variant) {
  const auto name = parse_variant_id(variant);
  return name && name->mechanism.starts_with("planted") ? name->op : "";
}

OpFacts op_facts(const std::string& op, std::span<const std::string> variants) {
  const OpVariants* known = find_op(op);
  if (known == nullptr) {
    throw Error(ErrorKind::kUsage, "unknown op " + op + ": see `assay levers` for what exists");
  }
  OpFacts facts;
  facts.prefill = known->op.phase != Phase::kDecode;
  facts.decode = known->op.phase != Phase::kPrefill;
  facts.edges.assign(known->op.edges.begin(), known->op.edges.end());
  for (const std::string& id : variants) {
    const VariantInfo* info = find_variant(id);
    if (info == nullptr) {
      throw Error(ErrorKind::kUsage, "unknown variant " + id + ": see `assay levers`");
    }
    facts.edges.insert(facts.edges.end(), info->edges.begin(), info->edges.end());
  }
  std::sort(facts.edges.begin(), facts.edges.end());
  facts.edges.erase(std::unique(facts.edges.begin(), facts.edges.end()), facts.edges.end());
  return facts;
}

}  // namespace assay
