// Speed of add: a residual of one row, a residual and a bias of 128 rows.
#include "kernels/op_benchmark.h"

ASSAY_BENCHMARK_OP(add);
