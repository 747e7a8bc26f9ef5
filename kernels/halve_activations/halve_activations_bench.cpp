// Speed of halve_activations: one row, and a short prompt.
#include "kernels/op_benchmark.h"

ASSAY_BENCHMARK_OP(halve_activations);
