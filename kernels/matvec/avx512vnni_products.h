// Sums of four byte products with 256-bit vpdpbusd, for avx2_blocks.h. For AVX-512 VNNI files only.
#pragma once

#include <immintrin.h>

namespace assay {

static inline __m256i products_vnni(__m256i codes, __m256i x) {
  return _mm256_dpbusd_epi32(_mm256_setzero_si256(), codes, x);
}

}  // namespace assay
