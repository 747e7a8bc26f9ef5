// The AVX2 exponential over an array, behind a function that any file may call: for its test.
#pragma once

#include <cstddef>

namespace assay {

// x (count) -> out (count), count a multiple of 8. The processor must have AVX2.
void exp_avx2_array(const float* x, float* out, std::size_t count);

}  // namespace assay
