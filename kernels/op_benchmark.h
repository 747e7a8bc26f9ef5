// Benchmarks of an op: every variant that this processor can run over the cases marked `bench`.
//
// One Google Benchmark per variant and case, named "<variant> <case>", on one thread, with the
// bytes and flops of the case's cost model as counters. Before it is timed, a variant's
// output is compared with the fp64 reference: a time of something wrong is not worth having.
#pragma once

#include <string_view>

namespace assay {

// Registers the op's benchmarks; returns how many.
int register_op_benchmarks(std::string_view op);

}  // namespace assay

// At the end of <op>_bench.cpp; all of them make one program, assay-bench-kernels.
#define ASSAY_BENCHMARK_OP(op) \
  [[maybe_unused]] static const int assay_benchmarks_##op = ::assay::register_op_benchmarks(#op)
