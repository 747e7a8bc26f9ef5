// Speed of rope: 4 heads of 128, one token and 128 tokens.
#include "kernels/op_benchmark.h"

ASSAY_BENCHMARK_OP(rope);
