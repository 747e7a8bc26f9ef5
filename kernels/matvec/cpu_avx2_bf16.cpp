// matvec_bf16 with AVX2, eight weight rows in flight; the arithmetic is avx2_float.h.
#include "kernels/launch.h"
#include "kernels/matvec/avx2_float.h"

namespace assay {

static void matvec_bf16_avx2(const MatvecArgs& args, Launch& launch) {
  run_float_matvec<Bfloat16>(args, launch);
}

}  // namespace assay

ASSAY_VARIANT(matvec_bf16_cpu_avx2, assay::MatvecArgs, assay::matvec_bf16_avx2);
