// matvec_q5k in plain C++: the definition that the other variants equal bit for bit.
#include "kernels/launch.h"
#include "kernels/matvec/portable_blocks.h"
#include "kernels/matvec/portable_matvec.h"

namespace assay {

static void matvec_q5k_portable(const MatvecArgs& args, Launch& launch) {
  run_portable_matvec<BlockQ5K>(args, launch);
}

}  // namespace assay

ASSAY_VARIANT(matvec_q5k_cpu_portable, assay::MatvecArgs, assay::matvec_q5k_portable);
