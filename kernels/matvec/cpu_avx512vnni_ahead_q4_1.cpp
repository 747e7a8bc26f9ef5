// matvec_q4_1 as cpu_avx512vnni_q4_1.cpp, asking for weights `bytes` ahead of where it reads.
//
// The rows of a matrix lie one after another, a pattern that the processor's own prefetcher
// follows; what it cannot know is that the next row range belongs to the same thread.
#include "kernels/launch.h"
#include "kernels/matvec/avx2_blocks.h"
#include "kernels/matvec/avx512vnni_eight.h"

namespace assay {

template <int kBytes>
static void matvec_q4_1_ahead(const MatvecArgs& args, Launch& launch) {
  run_blocks_matvec<FormatQ4_1, EightVnni, kBytes>(args, launch);
}

}  // namespace assay

ASSAY_VARIANT(matvec_q4_1_cpu_avx512vnni_ahead_bytes1024, assay::MatvecArgs,
              assay::matvec_q4_1_ahead<1024>);
ASSAY_VARIANT(matvec_q4_1_cpu_avx512vnni_ahead_bytes4096, assay::MatvecArgs,
              assay::matvec_q4_1_ahead<4096>);
