// Where row r of a weight matrix begins.
#pragma once

#include <cstdint>

namespace assay {

// Block is the weight type's block (or element) of kElements elements.
template <typename Block, int kElements>
static inline const Block* weight_row(const void* weights, std::int64_t row, int k) {
  return static_cast<const Block*>(weights) + row * (k / kElements);
}

}  // namespace assay
