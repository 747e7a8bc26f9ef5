// Token embedding: rows of the table, dequantised.
#pragma once

#include <cstdint>

#include "engine/core/dtype.h"
#include "kernels/weight_layout.h"

namespace assay {

struct EmbedArgs {
  const void* table;  // (vocab, k), rows of row_bytes(dtype, k) bytes
  DType dtype;
  const std::int32_t* tokens;  // (t), each in [0, vocab)
  float* out;                  // (t, k)
  int t;
  int k;
  WeightLayout layout = WeightLayout::kRaw;  // of `table`; CPU variants read raw ones only
  int vocab = 0;                             // rows of the table: planes begin at multiples of it
};

}  // namespace assay
