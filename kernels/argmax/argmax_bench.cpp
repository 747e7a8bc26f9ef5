// Speed of argmax: vocabularies of 4,096 and 151,936.
#include "kernels/op_benchmark.h"

ASSAY_BENCHMARK_OP(argmax);
