// matmul_q4_1 over unpacked panels with 512-bit vpdpbusd; panel.h says why, panel_matmul.h how.
#include "kernels/launch.h"
#include "kernels/matmul/panel_avx512vnni.h"
#include "kernels/matmul/panel_matmul.h"

namespace assay {

template <int kTokens>
static void matmul_q4_1_panel(const MatmulArgs& args, Launch& launch) {
  run_panel_matmul<VnniLanes, PanelQ4_1, kTokens>(args, launch);
}

}  // namespace assay

ASSAY_VARIANT(matmul_q4_1_cpu_avx512vnni_panel_tokens8, assay::MatmulArgs,
              assay::matmul_q4_1_panel<8>);
ASSAY_VARIANT(matmul_q4_1_cpu_avx512vnni_panel_tokens4, assay::MatmulArgs,
              assay::matmul_q4_1_panel<4>);
ASSAY_VARIANT(matmul_q4_1_cpu_avx512vnni_panel_tokens12, assay::MatmulArgs,
              assay::matmul_q4_1_panel<12>);
