// matmul_bf16 over panels with AVX2; float_panel.h says why and how.
#include "kernels/launch.h"
#include "kernels/matmul/float_panel.h"
#include "kernels/matmul/panel_avx2.h"

namespace assay {

template <int kTokens>
static void matmul_bf16_panel(const MatmulArgs& args, Launch& launch) {
  run_float_panel_matmul<Avx2Lanes, Bfloat16, kTokens>(args, launch);
}

}  // namespace assay

ASSAY_VARIANT(matmul_bf16_cpu_avx2_panel_tokens4, assay::MatmulArgs, assay::matmul_bf16_panel<4>);
