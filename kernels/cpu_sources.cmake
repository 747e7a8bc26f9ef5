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
  # assay new variant adds portable lines above
)
set(ASSAY_CPU_X86_SOURCES
  # assay new variant adds lines above
)
