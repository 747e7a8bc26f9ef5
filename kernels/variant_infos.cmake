# Each op's list of variants: data only, compiled on every machine.
set(ASSAY_VARIANT_INFO_SOURCES
  quantize_activations/variants.cpp
  matvec/variants.cpp
  matmul/variants.cpp
  # assay new op adds lines above
)
