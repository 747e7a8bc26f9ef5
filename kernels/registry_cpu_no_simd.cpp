// The variants with this processor family's own instructions: none yet outside x86-64.
#include "kernels/linked_variants.h"

namespace assay {

std::span<const LinkedVariant> machine_variants() {
  return {};
}

}  // namespace assay
