// matmul_q5_0 over unpacked panels with AVX2; panel.h says why, panel_matmul.h how.
#include "kernels/launch.h"
#include "kernels/matmul/panel_avx2.h"
#include "kernels/matmul/panel_matmul.h"

namespace assay {

template <int kTokens>
static void matmul_q5_0_panel(const MatmulArgs& args, Launch& launch) {
  run_panel_matmul<Avx2Lanes, PanelQ5_0, kTokens>(args, launch);
}

}  // namespace assay

ASSAY_VARIANT(matmul_q5_0_cpu_avx2_panel_tokens4, assay::MatmulArgs, assay::matmul_q5_0_panel<4>);
