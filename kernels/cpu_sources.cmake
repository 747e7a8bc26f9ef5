# Mechanism files of the CPU. Plain C++ on every machine, the others on x86-64 only; a file's name
# says which instructions it may use, and CMakeLists.txt gives it the flags.
set(ASSAY_CPU_PORTABLE_SOURCES
  quantize_activations/cpu_portable.cpp
  matvec/cpu_portable_f32.cpp
  matvec/cpu_portable_f16.cpp
  matvec/cpu_portable_q8_0.cpp
  matvec/cpu_portable_q4k.cpp
  matvec/cpu_portable_q6k.cpp
  matmul/cpu_portable_f32.cpp
  matmul/cpu_portable_f16.cpp
  matmul/cpu_portable_q8_0.cpp
  matmul/cpu_portable_q4k.cpp
  matmul/cpu_portable_q6k.cpp
  embed/cpu_portable.cpp
  rms_norm/cpu_portable.cpp
  rope/cpu_portable.cpp
  kv_store/cpu_portable.cpp
  attention_decode/cpu_portable.cpp
  attention_prefill/cpu_portable.cpp
  swiglu/cpu_portable.cpp
  add/cpu_portable.cpp
  argmax/cpu_portable.cpp
  # assay new variant adds portable lines above
)
set(ASSAY_CPU_X86_SOURCES
  embed/cpu_avx2.cpp
  rms_norm/cpu_avx2.cpp
  rope/cpu_avx2.cpp
  kv_store/cpu_avx2.cpp
  attention_decode/cpu_avx2.cpp
  attention_prefill/cpu_avx2.cpp
  swiglu/cpu_avx2.cpp
  add/cpu_avx2.cpp
  argmax/cpu_avx2.cpp
  # assay new variant adds lines above
)
