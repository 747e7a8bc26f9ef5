// Speed of matvec, by weight type, over the shapes of a small model.
#include "kernels/op_benchmark.h"

ASSAY_BENCHMARK_OP(matvec_f32);
ASSAY_BENCHMARK_OP(matvec_f16);
ASSAY_BENCHMARK_OP(matvec_bf16);
ASSAY_BENCHMARK_OP(matvec_q4_0);
ASSAY_BENCHMARK_OP(matvec_q4_1);
ASSAY_BENCHMARK_OP(matvec_q5_0);
ASSAY_BENCHMARK_OP(matvec_q5_1);
ASSAY_BENCHMARK_OP(matvec_q8_0);
ASSAY_BENCHMARK_OP(matvec_q4k);
ASSAY_BENCHMARK_OP(matvec_q5k);
ASSAY_BENCHMARK_OP(matvec_q6k);
