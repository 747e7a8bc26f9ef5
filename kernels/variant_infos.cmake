# Each op's list of variants: data only, compiled on every machine.
set(ASSAY_VARIANT_INFO_SOURCES
  quantize_activations/variants.cpp
  halve_activations/variants.cpp
  matvec/variants.cpp
  matmul/variants.cpp
  embed/variants.cpp
  rms_norm/variants.cpp
  rope/variants.cpp
  kv_store/variants.cpp
  attention_decode/variants.cpp
  attention_prefill/variants.cpp
  swiglu/variants.cpp
  add/variants.cpp
  argmax/variants.cpp
  add_rms_norm_quantize/variants.cpp
  add_rms_norm_halve/variants.cpp
  swiglu_quantize/variants.cpp
  swiglu_halve/variants.cpp
  rope_store/variants.cpp
  # assay new op adds lines above
)
