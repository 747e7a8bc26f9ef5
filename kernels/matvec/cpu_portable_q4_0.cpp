// matvec_q4_0 in plain C++: the definition that the other variants equal bit for bit.
#include "kernels/launch.h"
#include "kernels/matvec/portable_blocks.h"
#include "kernels/matvec/portable_matvec.h"

namespace assay {

static void matvec_q4_0_portable(const MatvecArgs& args, Launch& launch) {
  run_portable_matvec<BlockQ4_0>(args, launch);
}

}  // namespace assay

ASSAY_VARIANT(matvec_q4_0_cpu_portable, assay::MatvecArgs, assay::matvec_q4_0_portable);
