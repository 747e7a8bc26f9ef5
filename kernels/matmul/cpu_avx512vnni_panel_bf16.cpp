// matmul_bf16 over panels with 512-bit registers; float_panel.h says why and how.
#include "kernels/launch.h"
#include "kernels/matmul/float_panel.h"
#include "kernels/matmul/panel_avx512vnni.h"

namespace assay {

template <int kTokens>
static void matmul_bf16_panel(const MatmulArgs& args, Launch& launch) {
  run_float_panel_matmul<VnniLanes, Bfloat16, kTokens>(args, launch);
}

}  // namespace assay

ASSAY_VARIANT(matmul_bf16_cpu_avx512vnni_panel_tokens8, assay::MatmulArgs,
              assay::matmul_bf16_panel<8>);
