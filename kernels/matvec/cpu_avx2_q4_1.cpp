// matvec_q4_1 with AVX2, one weight row at a time; the arithmetic is avx2_blocks.h.
#include "kernels/launch.h"
#include "kernels/matvec/avx2_blocks.h"
#include "kernels/matvec/avx2_eight.h"

namespace assay {

static void matvec_q4_1_avx2(const MatvecArgs& args, Launch& launch) {
  run_blocks_matvec<FormatQ4_1, EightAvx2>(args, launch);
}

}  // namespace assay

ASSAY_VARIANT(matvec_q4_1_cpu_avx2, assay::MatvecArgs, assay::matvec_q4_1_avx2);
