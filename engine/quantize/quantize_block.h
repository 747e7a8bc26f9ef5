// One block each: 32 floats to q8_0, 256 to q4_K or q6_K. Values are finite.
//
// False when a value is too large for the block's f16 scale (above 8 million for q8_0, more for the
// others); no trained weight is.
#pragma once

#include <span>

#include "kernels/blocks.h"

namespace assay {

bool quantize_block(std::span<const float, 32> x, BlockQ8_0& block);
bool quantize_block(std::span<const float, 256> x, BlockQ4K& block);
bool quantize_block(std::span<const float, 256> x, BlockQ6K& block);

}  // namespace assay
