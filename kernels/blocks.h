// Block formats of quantised weights, as GGUF stores them, and their exact scalar meaning.
//
// dequantize_row is the definition that references and tests use; SIMD code must agree bit for bit
// with its integer parts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/core/dtype.h"
#include "engine/core/half.h"

namespace assay {

#pragma pack(push, 1)
struct BlockQ8_0 {  // 32 elements: w = d * q
  std::uint16_t d;  // f16
  std::int8_t q[32];
};
struct BlockQ4K {  // 256 elements in 8 sub-blocks of 32: w = d * scale * q - dmin * min
  std::uint16_t d;            // f16
  std::uint16_t dmin;         // f16
  std::uint8_t scales[12];    // 8 scales and 8 mins of 6 bits
  std::uint8_t q[128];        // 4 groups of 64: low nibbles first 32, high nibbles next 32
};
struct BlockQ6K {  // 256 elements in 16 sub-blocks of 16: w = d * scale * (q - 32)
  std::uint8_t low[128];   // lower 4 bits
  std::uint8_t high[64];   // upper 2 bits
  std::int8_t scales[16];
  std::uint16_t d;         // f16
};
#pragma pack(pop)
static_assert(sizeof(BlockQ8_0) == 34 && sizeof(BlockQ4K) == 144 && sizeof(BlockQ6K) == 210);

struct ScaleMin {
  std::uint8_t scale;
  std::uint8_t min;
};
// The 6-bit scale and min of sub-block j (0..7) of a q4_K block.
inline ScaleMin q4k_scale_min(const std::uint8_t* scales, int j) {
  if (j < 4) {
    return {static_cast<std::uint8_t>(scales[j] & 63), static_cast<std::uint8_t>(scales[j + 4] & 63)};
  }
  return {static_cast<std::uint8_t>((scales[j + 4] & 0x0f) | ((scales[j - 4] >> 6) << 4)),
          static_cast<std::uint8_t>((scales[j + 4] >> 4) | ((scales[j] >> 6) << 4))};
}
// The code (0..15) of element i (0..255) of a q4_K block.
inline int q4k_code(const BlockQ4K& block, int i) {
  const std::uint8_t byte = block.q[(i / 64) * 32 + (i % 32)];
  return (i / 32) % 2 == 0 ? byte & 0x0f : byte >> 4;
}
// The code minus 32 (-32..31) of element i (0..255) of a q6_K block.
inline int q6k_code(const BlockQ6K& block, int i) {
  const int half = i / 128;       // two halves of 128
  const int quarter = i % 128 / 32;  // four runs of 32 in a half
  const int lane = i % 32;
  const std::uint8_t low = block.low[half * 64 + (quarter % 2) * 32 + lane];
  const std::uint8_t high = block.high[half * 32 + lane];
  const int four = quarter < 2 ? low & 0x0f : low >> 4;
  return (four | ((high >> (2 * quarter)) & 3) << 4) - 32;
}

// Row of k elements -> out (k). Multiplications in f32 in the order of the formats' formulas.
void dequantize_row(DType dtype, const void* row, int k, float* out);

}  // namespace assay
