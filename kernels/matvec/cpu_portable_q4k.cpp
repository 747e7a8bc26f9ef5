// matvec_q4k in plain C++: the definition that the other variants equal bit for bit.
#include "kernels/launch.h"
#include "kernels/matvec/portable_matvec.h"
#include "kernels/matvec/portable_q4k.h"

namespace assay {

static void matvec_q4k_portable(const MatvecArgs& args, Launch& launch) {
  run_portable_matvec<BlockQ4K>(args, launch);
}

}  // namespace assay

ASSAY_VARIANT(matvec_q4k_cpu_portable, assay::MatvecArgs, assay::matvec_q4k_portable);
