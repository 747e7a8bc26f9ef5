// Speed of embed: 128 rows of 512, per weight type.
#include "kernels/op_benchmark.h"

ASSAY_BENCHMARK_OP(embed);
