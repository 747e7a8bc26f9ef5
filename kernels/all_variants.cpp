// All ops with their variants, by the list ops.inc.
#include <vector>

#include "kernels/ops.h"

namespace assay {

std::span<const OpVariants> all_ops() {
  static const std::vector<OpVariants> ops = {
#define ASSAY_OP(name) name##_variants(),
#include "kernels/ops.inc"
#undef ASSAY_OP
  };
  return ops;
}

}  // namespace assay
