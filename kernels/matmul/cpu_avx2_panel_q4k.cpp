// matmul_q4k over unpacked panels with AVX2; panel.h says why, panel_matmul.h how.
#include "kernels/launch.h"
#include "kernels/matmul/panel_avx2.h"
#include "kernels/matmul/panel_matmul.h"

namespace assay {

template <int kTokens>
static void matmul_q4k_panel(const MatmulArgs& args, Launch& launch) {
  run_panel_matmul<Avx2Lanes, PanelQ4K, kTokens>(args, launch);
}

}  // namespace assay

ASSAY_VARIANT(matmul_q4k_cpu_avx2_panel_tokens4, assay::MatmulArgs, assay::matmul_q4k_panel<4>);
