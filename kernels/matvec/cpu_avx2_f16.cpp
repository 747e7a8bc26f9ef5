// matvec_f16 with AVX2, eight weight rows in flight; the arithmetic is avx2_float.h.
#include "kernels/launch.h"
#include "kernels/matvec/avx2_float.h"

namespace assay {

static void matvec_f16_avx2(const MatvecArgs& args, Launch& launch) {
  run_float_matvec<std::uint16_t>(args, launch);
}

}  // namespace assay

ASSAY_VARIANT(matvec_f16_cpu_avx2, assay::MatvecArgs, assay::matvec_f16_avx2);
