// Speed of attention_prefill: 128 tokens, 4 query heads on 2, head_dim 128.
#include "kernels/op_benchmark.h"

ASSAY_BENCHMARK_OP(attention_prefill);
