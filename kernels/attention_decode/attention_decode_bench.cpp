// Speed of attention_decode: 4 query heads on 2, head_dim 128, 128 and 1,000 cached positions.
#include "kernels/op_benchmark.h"

ASSAY_BENCHMARK_OP(attention_decode);
