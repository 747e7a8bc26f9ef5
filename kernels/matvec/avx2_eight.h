// Eight integer dots with AVX2, for avx2_blocks.h. Codes must not exceed 63: pairs of products then
// fit 16 bits.
#pragma once

#include "kernels/matvec/avx2_formats.h"
#include "kernels/matvec/avx2_q8_0.h"

namespace assay {
namespace {

struct EightAvx2 {
  template <typename Format>
  static __m256i dots(const typename Format::Block* row, int b, const std::int8_t* x) {
    __m256i p[8];
    for (int j = 0; j < 8; ++j) {
      const __m256i pairs = _mm256_maddubs_epi16(Format::codes(row, b + j), load_256(x + 32 * j));
      p[j] = _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
    }
    return sum_eight(p);
  }
};

}  // namespace
}  // namespace assay
