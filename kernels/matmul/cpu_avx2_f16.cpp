// matmul_f16 with AVX2. `tokens` token rows share one load of the weights, and their chains of
// additions overlap; the arithmetic is matvec/avx2_float.h.
#include "kernels/launch.h"
#include "kernels/matvec/avx2_float.h"

namespace assay {

template <int kTokens>
static void matmul_f16_avx2(const MatmulArgs& args, Launch& launch) {
  run_float_matmul<std::uint16_t, kTokens>(args, launch);
}

}  // namespace assay

ASSAY_VARIANT(matmul_f16_cpu_avx2_tokens8, assay::MatmulArgs, assay::matmul_f16_avx2<8>);
