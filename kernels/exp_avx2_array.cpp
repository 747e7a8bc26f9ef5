#include "kernels/exp_array.h"
#include "kernels/exp_avx2.h"

namespace assay {

void exp_avx2_array(const float* x, float* out, std::size_t count) {
  for (std::size_t i = 0; i < count; i += 8) {
    _mm256_storeu_ps(out + i, exp_f32_avx2(_mm256_loadu_ps(x + i)));
  }
}

}  // namespace assay
