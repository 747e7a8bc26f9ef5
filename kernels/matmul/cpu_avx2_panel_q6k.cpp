// matmul_q6k over unpacked panels with AVX2; panel.h says why, panel_matmul.h how.
#include "kernels/launch.h"
#include "kernels/matmul/panel_avx2.h"
#include "kernels/matmul/panel_matmul.h"

namespace assay {

template <int kTokens>
static void matmul_q6k_panel(const MatmulArgs& args, Launch& launch) {
  run_panel_matmul<Avx2Lanes, PanelQ6K, kTokens>(args, launch);
}

}  // namespace assay

ASSAY_VARIANT(matmul_q6k_cpu_avx2_panel_tokens4, assay::MatmulArgs, assay::matmul_q6k_panel<4>);
