// Where row r of a weight matrix begins.
#pragma once

#include <cstdint>

#include "kernels/blocks.h"

namespace assay {

// Block is the weight type's block, or a float weight.
template <typename Block>
static inline const Block* weight_row(const void* weights, std::int64_t row, int k) {
  return static_cast<const Block*>(weights) + row * (k / kBlockElements<Block>);
}

}  // namespace assay
