// matvec_bf16 in plain C++: the definition that the other variants equal bit for bit.
#include "kernels/launch.h"
#include "kernels/matvec/portable_matvec.h"

namespace assay {

static void matvec_bf16_portable(const MatvecArgs& args, Launch& launch) {
  run_portable_float_matvec<Bfloat16>(args, launch);
}

}  // namespace assay

ASSAY_VARIANT(matvec_bf16_cpu_portable, assay::MatvecArgs, assay::matvec_bf16_portable);
