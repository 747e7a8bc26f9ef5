// matvec_f32 in plain C++: the definition that the other variants equal bit for bit.
#include "kernels/launch.h"
#include "kernels/matvec/portable_matvec.h"

namespace assay {

static void matvec_f32_portable(const MatvecArgs& args, Launch& launch) {
  run_portable_float_matvec<float>(args, launch);
}

}  // namespace assay

ASSAY_VARIANT(matvec_f32_cpu_portable, assay::MatvecArgs, assay::matvec_f32_portable);
