# Each op's reference: fp64 values, budgets, cases.
set(ASSAY_REFERENCE_SOURCES
  quantize_activations/reference.cpp
  quantize_activations/reference_quantize.cpp
  halve_activations/reference.cpp
  matvec/linear_case.cpp
  matvec/linear_cases.cpp
  matvec/reference.cpp
  matmul/reference.cpp
  embed/reference.cpp
  rms_norm/reference.cpp
  rope/reference.cpp
  kv_store/reference.cpp
  attention_decode/attention_case.cpp
  attention_decode/reference.cpp
  attention_prefill/reference.cpp
  swiglu/reference.cpp
  add/reference.cpp
  argmax/reference.cpp
  add_rms_norm_quantize/reference.cpp
  add_rms_norm_halve/reference.cpp
  swiglu_quantize/reference.cpp
  swiglu_halve/reference.cpp
  rope_store/reference.cpp
  # assay new op adds lines above
)
# The op's benchmark programs' sources; all of them make one program, assay-bench-kernels.
set(ASSAY_BENCH_SOURCES
  quantize_activations/quantize_activations_bench.cpp
  halve_activations/halve_activations_bench.cpp
  matvec/matvec_bench.cpp
  matmul/matmul_bench.cpp
  embed/embed_bench.cpp
  rms_norm/rms_norm_bench.cpp
  rope/rope_bench.cpp
  kv_store/kv_store_bench.cpp
  attention_decode/attention_decode_bench.cpp
  attention_prefill/attention_prefill_bench.cpp
  swiglu/swiglu_bench.cpp
  add/add_bench.cpp
  argmax/argmax_bench.cpp
  # assay new op adds lines above
)
