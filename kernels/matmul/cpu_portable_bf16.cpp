// matmul_bf16 in plain C++: matvec's chain for each token row.
#include "kernels/launch.h"
#include "kernels/matvec/portable_matvec.h"

namespace assay {

static void matmul_bf16_portable(const MatmulArgs& args, Launch& launch) {
  run_portable_float_matmul<Bfloat16>(args, launch);
}

}  // namespace assay

ASSAY_VARIANT(matmul_bf16_cpu_portable, assay::MatmulArgs, assay::matmul_bf16_portable);
