// A row of floats as a row of another element type: f32, f16, bf16, q8_0, q4_K or q6_K.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "engine/core/dtype.h"

namespace assay {

// Whether quantize_row makes rows of this type.
bool can_quantize_to(DType dtype);

// `x`: a whole number of blocks. `out`: row_bytes(dtype, x.size()) bytes. The result depends on
// nothing else. Returns what keeps a value from being written, naming its place in the row
// ("element 3 is inf"); empty when all is well.
std::string quantize_row(DType dtype, std::span<const float> x, std::byte* out);

// "element 3 is inf": the first such; empty when all are finite.
std::string what_is_not_finite(std::span<const float> x);

}  // namespace assay
