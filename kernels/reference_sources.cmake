# Each op's reference: fp64 values, budgets, cases.
set(ASSAY_REFERENCE_SOURCES
  quantize_activations/reference.cpp
  quantize_activations/reference_quantize.cpp
  matvec/linear_case.cpp
  matvec/linear_cases.cpp
  matvec/reference.cpp
  matmul/reference.cpp
  # assay new op adds lines above
)
# The op's benchmark programs' sources; all of them make one program, assay-bench-kernels.
set(ASSAY_BENCH_SOURCES
  quantize_activations/quantize_activations_bench.cpp
  matvec/matvec_bench.cpp
  matmul/matmul_bench.cpp
  # assay new op adds lines above
)
