// Speed of swiglu: 8,192 values, and 128 rows of 1,536.
#include "kernels/op_benchmark.h"

ASSAY_BENCHMARK_OP(swiglu);
