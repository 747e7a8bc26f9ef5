// The vector exponentials over an array, behind functions that any file may call: for their test.
#pragma once

#include <cstddef>

namespace assay {

// x (count) -> out (count), count a multiple of 16. The processor must have AVX2, or AVX-512.
void exp_avx2_array(const float* x, float* out, std::size_t count);
void exp_avx512_array(const float* x, float* out, std::size_t count);

}  // namespace assay
