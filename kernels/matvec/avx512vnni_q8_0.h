// Products of q8_0 codes with vpdpbusd, for the loops of avx2_q8_0.h.
#pragma once

#include "kernels/matvec/avx2_q8_0.h"

namespace assay {

static inline __m256i products_q8_0_vnni(__m256i w, __m256i x) {
  return _mm256_dpbusd_epi32(_mm256_setzero_si256(), _mm256_abs_epi8(w), _mm256_sign_epi8(x, w));
}

}  // namespace assay
