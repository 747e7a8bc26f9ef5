// Speed of quantize_activations: one row, and a short prompt.
#include "kernels/op_benchmark.h"

ASSAY_BENCHMARK_OP(quantize_activations);
