// Speed of kv_store: 2 heads of 128, one token and 128 tokens.
#include "kernels/op_benchmark.h"

ASSAY_BENCHMARK_OP(kv_store);
