// matmul_f16 in plain C++: matvec's chain for each token row.
#include "kernels/launch.h"
#include "kernels/matvec/portable_matvec.h"

namespace assay {

static void matmul_f16_portable(const MatmulArgs& args, Launch& launch) {
  run_portable_float_matmul<std::uint16_t>(args, launch);
}

}  // namespace assay

ASSAY_VARIANT(matmul_f16_cpu_portable, assay::MatmulArgs, assay::matmul_f16_portable);
