// The variants of registry_cpu_portable.inc.
#include <vector>

#include "kernels/linked_variants.h"

#define ASSAY_LINKED(symbol) ASSAY_LINKED_DECLARATION(symbol)
#include "kernels/registry_cpu_portable.inc"
#undef ASSAY_LINKED

namespace assay {

std::span<const LinkedVariant> portable_variants() {
  static const std::vector<LinkedVariant> variants = {
#define ASSAY_LINKED(symbol) ASSAY_LINKED_ENTRY(symbol)
#include "kernels/registry_cpu_portable.inc"
#undef ASSAY_LINKED
  };
  return variants;
}

}  // namespace assay
