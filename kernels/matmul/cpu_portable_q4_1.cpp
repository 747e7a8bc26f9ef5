// matmul_q4_1 in plain C++, four token rows to an unpacked block; the arithmetic is
// matvec/portable_blocks.h.
#include "kernels/launch.h"
#include "kernels/matvec/portable_blocks.h"
#include "kernels/matvec/portable_matvec.h"

namespace assay {

template <int kTokens>
static void matmul_q4_1_portable(const MatmulArgs& args, Launch& launch) {
  run_portable_matmul<BlockQ4_1, kTokens>(args, launch);
}

}  // namespace assay

ASSAY_VARIANT(matmul_q4_1_cpu_portable_tokens4, assay::MatmulArgs, assay::matmul_q4_1_portable<4>);
