// matmul_q6k in plain C++.
//
// `tokens` is the number of token rows that share one unpacked weight block; the price is eight
// partial sums per row that must stay in the first cache level. With SSE2 code on an AMD EPYC of
// family 26, one thread, n = 1024, k = 512, t = 64, four and eight tokens are 1.7 and 2.2 times as
// fast as one.
#include "kernels/launch.h"
#include "kernels/matvec/portable_matvec.h"
#include "kernels/matvec/portable_q6k.h"

namespace assay {

template <int kTokens>
static void matmul_q6k_portable(const MatmulArgs& args, Launch& launch) {
  run_portable_matmul<BlockQ6K, kTokens>(args, launch);
}

}  // namespace assay

ASSAY_VARIANT(matmul_q6k_cpu_portable_tokens1, assay::MatmulArgs, assay::matmul_q6k_portable<1>);
ASSAY_VARIANT(matmul_q6k_cpu_portable_tokens4, assay::MatmulArgs, assay::matmul_q6k_portable<4>);
ASSAY_VARIANT(matmul_q6k_cpu_portable_tokens8, assay::MatmulArgs, assay::matmul_q6k_portable<8>);
