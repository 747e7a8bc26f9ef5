#include "kernels/exp_array.h"
#include "kernels/exp_avx512.h"

namespace assay {

void exp_avx512_array(const float* x, float* out, std::size_t count) {
  for (std::size_t i = 0; i < count; i += 16) {
    _mm512_storeu_ps(out + i, exp_f32_avx512(_mm512_loadu_ps(x + i)));
  }
}

}  // namespace assay
