// matvec_q4_0 with AVX2, one weight row at a time; the arithmetic is avx2_blocks.h.
#include "kernels/launch.h"
#include "kernels/matvec/avx2_blocks.h"
#include "kernels/matvec/avx2_eight.h"

namespace assay {

static void matvec_q4_0_avx2(const MatvecArgs& args, Launch& launch) {
  run_blocks_matvec<FormatQ4_0, EightAvx2>(args, launch);
}

}  // namespace assay

ASSAY_VARIANT(matvec_q4_0_cpu_avx2, assay::MatvecArgs, assay::matvec_q4_0_avx2);
