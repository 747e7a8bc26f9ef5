#include "kernels/blocks.h"

#include <cstring>

namespace assay {

void dequantize_row(DType dtype, const void* row, int k, float* out) {
  switch (dtype) {
    case DType::kF32:
      std::memcpy(out, row, static_cast<std::size_t>(k) * sizeof(float));
      return;
    case DType::kF16: {
      const auto* half = static_cast<const unsigned char*>(row);
      for (int i = 0; i < k; ++i) {
        std::uint16_t bits = 0;
        std::memcpy(&bits, half + 2 * i, 2);
        out[i] = half_to_float(bits);
      }
      return;
    }
    case DType::kQ8_0: {
      const auto* blocks = static_cast<const BlockQ8_0*>(row);
      for (int i = 0; i < k; ++i) {
        const BlockQ8_0& block = blocks[i / 32];
        out[i] = half_to_float(block.d) * static_cast<float>(block.q[i % 32]);
      }
      return;
    }
    case DType::kQ4K: {
      const auto* blocks = static_cast<const BlockQ4K*>(row);
      for (int i = 0; i < k; ++i) {
        const BlockQ4K& block = blocks[i / 256];
        const ScaleMin sm = q4k_scale_min(block.scales, i % 256 / 32);
        const float scale = half_to_float(block.d) * static_cast<float>(sm.scale);
        const float min = half_to_float(block.dmin) * static_cast<float>(sm.min);
        const float product = scale * static_cast<float>(q4k_code(block, i % 256));
        out[i] = product - min;
      }
      return;
    }
    case DType::kQ6K: {
      const auto* blocks = static_cast<const BlockQ6K*>(row);
      for (int i = 0; i < k; ++i) {
        const BlockQ6K& block = blocks[i / 256];
        const float scale = half_to_float(block.d) * static_cast<float>(block.scales[i % 256 / 16]);
        out[i] = scale * static_cast<float>(q6k_code(block, i % 256));
      }
      return;
    }
  }
}

}  // namespace assay
