// Speed of rms_norm: one row of 1,536, and 128 rows of 512.
#include "kernels/op_benchmark.h"

ASSAY_BENCHMARK_OP(rms_norm);
