// All ops with their references, by the list ops.inc.
#include <vector>

#include "kernels/ops.h"

namespace assay {

std::span<const OpReference> all_references() {
  static const std::vector<OpReference> references = {
#define ASSAY_OP(name) name##_reference(),
#include "kernels/ops.inc"
#undef ASSAY_OP
  };
  return references;
}

const OpReference* find_reference(std::string_view op) {
  for (const OpReference& reference : all_references()) {
    if (reference.op == op) return &reference;
  }
  return nullptr;
}

}  // namespace assay
