// matvec_q4_1 with 512-bit vpdpbusd, one weight row at a time; the arithmetic is avx2_blocks.h.
#include "kernels/launch.h"
#include "kernels/matvec/avx2_blocks.h"
#include "kernels/matvec/avx512vnni_eight.h"

namespace assay {

static void matvec_q4_1_vnni(const MatvecArgs& args, Launch& launch) {
  run_blocks_matvec<FormatQ4_1, EightVnni>(args, launch);
}

}  // namespace assay

ASSAY_VARIANT(matvec_q4_1_cpu_avx512vnni, assay::MatvecArgs, assay::matvec_q4_1_vnni);
