// Block formats of quantised weights, as GGUF stores them, and their exact scalar meaning.
//
// Every quantised format is w = scale * code - offset with an integer code, and a scale and an
// offset that f32 holds exactly. code_of, scale_of and offset_of say so per format; dequantize_row,
// references and plain kernels are written with them, and SIMD code must agree with them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/core/dtype.h"
#include "engine/core/half.h"

namespace assay {

#pragma pack(push, 1)
struct BlockQ4_0 {     // 32 elements: w = d * (q - 8)
  std::uint16_t d;     // f16
  std::uint8_t q[16];  // low nibbles 0..15, high nibbles 16..31
};
struct BlockQ4_1 {     // 32 elements: w = d * q + m
  std::uint16_t d;     // f16
  std::uint16_t m;     // f16
  std::uint8_t q[16];  // as q4_0
};
struct BlockQ5_0 {       // 32 elements: w = d * (q - 16)
  std::uint16_t d;       // f16
  std::uint8_t high[4];  // bit i: the fifth bit of element i
  std::uint8_t q[16];    // as q4_0
};
struct BlockQ5_1 {       // 32 elements: w = d * q + m
  std::uint16_t d;       // f16
  std::uint16_t m;       // f16
  std::uint8_t high[4];  // as q5_0
  std::uint8_t q[16];    // as q4_0
};
struct BlockQ8_0 {  // 32 elements: w = d * q
  std::uint16_t d;  // f16
  std::int8_t q[32];
};
struct BlockQ4K {           // 256 elements in 8 sub-blocks of 32: w = d * scale * q - dmin * min
  std::uint16_t d;          // f16
  std::uint16_t dmin;       // f16
  std::uint8_t scales[12];  // 8 scales and 8 mins of 6 bits
  std::uint8_t q[128];      // 4 groups of 64: low nibbles first 32, high nibbles next 32
};
struct BlockQ5K {           // as q4_K with codes of five bits
  std::uint16_t d;          // f16
  std::uint16_t dmin;       // f16
  std::uint8_t scales[12];  // as q4_K
  std::uint8_t high[32];    // bit s of byte i: the fifth bit of element i of sub-block s
  std::uint8_t q[128];      // as q4_K
};
struct BlockQ6K {         // 256 elements in 16 sub-blocks of 16: w = d * scale * (q - 32)
  std::uint8_t low[128];  // lower 4 bits
  std::uint8_t high[64];  // upper 2 bits
  std::int8_t scales[16];
  std::uint16_t d;  // f16
};
#pragma pack(pop)
static_assert(sizeof(BlockQ4_0) == 18 && sizeof(BlockQ4_1) == 20 && sizeof(BlockQ5_0) == 22);
static_assert(sizeof(BlockQ5_1) == 24 && sizeof(BlockQ8_0) == 34 && sizeof(BlockQ4K) == 144);
static_assert(sizeof(BlockQ5K) == 176 && sizeof(BlockQ6K) == 210);

// Elements of one block; 1 for float weights.
template <typename Block>
inline constexpr int kBlockElements = sizeof(Block) >= 144  ? 256
                                      : sizeof(Block) >= 18 ? 32
                                                            : 1;
// Whether the format takes something away that is no integer.
template <typename Block>
inline constexpr bool kHasOffset = requires(const Block& block) {
  block.m;
}
|| requires(const Block& block) {
  block.dmin;
};

struct ScaleMin {
  std::uint8_t scale;
  std::uint8_t min;
};
// The 6-bit scale and min of sub-block j (0..7) of a q4_K or q5_K block.
inline ScaleMin q4k_scale_min(const std::uint8_t* scales, int j) {
  if (j < 4) {
    return {static_cast<std::uint8_t>(scales[j] & 63),
            static_cast<std::uint8_t>(scales[j + 4] & 63)};
  }
  return {static_cast<std::uint8_t>((scales[j + 4] & 0x0f) | ((scales[j - 4] >> 6) << 4)),
          static_cast<std::uint8_t>((scales[j + 4] >> 4) | ((scales[j] >> 6) << 4))};
}

// The integer of element i of a block.
inline int code_of(const BlockQ4_0& block, int i) {
  return (i < 16 ? block.q[i] & 0x0f : block.q[i - 16] >> 4) - 8;
}
inline int code_of(const BlockQ4_1& block, int i) {
  return i < 16 ? block.q[i] & 0x0f : block.q[i - 16] >> 4;
}
inline int code_of(const BlockQ5_0& block, int i) {
  const int four = i < 16 ? block.q[i] & 0x0f : block.q[i - 16] >> 4;
  return (four | (block.high[i / 8] >> (i % 8) & 1) << 4) - 16;
}
inline int code_of(const BlockQ5_1& block, int i) {
  const int four = i < 16 ? block.q[i] & 0x0f : block.q[i - 16] >> 4;
  return four | (block.high[i / 8] >> (i % 8) & 1) << 4;
}
inline int code_of(const BlockQ8_0& block, int i) {
  return block.q[i];
}
inline int code_of(const BlockQ4K& block, int i) {
  const std::uint8_t byte = block.q[(i / 64) * 32 + (i % 32)];
  return (i / 32) % 2 == 0 ? byte & 0x0f : byte >> 4;
}
inline int code_of(const BlockQ5K& block, int i) {
  const std::uint8_t byte = block.q[(i / 64) * 32 + (i % 32)];
  const int four = (i / 32) % 2 == 0 ? byte & 0x0f : byte >> 4;
  return four | (block.high[i % 32] >> (i / 32) & 1) << 4;
}
inline int code_of(const BlockQ6K& block, int i) {
  const int half = i / 128;          // two halves of 128
  const int quarter = i % 128 / 32;  // four runs of 32 in a half
  const int lane = i % 32;
  const std::uint8_t low = block.low[half * 64 + (quarter % 2) * 32 + lane];
  const std::uint8_t high = block.high[half * 32 + lane];
  const int four = quarter < 2 ? low & 0x0f : low >> 4;
  return (four | ((high >> (2 * quarter)) & 3) << 4) - 32;
}

// What element i's code is multiplied with; exact in f32 (at most 19 bits).
template <typename Block>
inline float scale_of(const Block& block, int) {
  return half_to_float(block.d);
}
inline float scale_of(const BlockQ4K& block, int i) {
  return half_to_float(block.d) * static_cast<float>(q4k_scale_min(block.scales, i / 32).scale);
}
inline float scale_of(const BlockQ5K& block, int i) {
  return half_to_float(block.d) * static_cast<float>(q4k_scale_min(block.scales, i / 32).scale);
}
inline float scale_of(const BlockQ6K& block, int i) {
  return half_to_float(block.d) * static_cast<float>(block.scales[i / 16]);
}

// What is then taken away; exact in f32 (at most 17 bits).
template <typename Block>
inline float offset_of(const Block&, int) {
  return 0.0f;
}
inline float offset_of(const BlockQ4_1& block, int) {
  return -half_to_float(block.m);
}
inline float offset_of(const BlockQ5_1& block, int) {
  return -half_to_float(block.m);
}
inline float offset_of(const BlockQ4K& block, int i) {
  return half_to_float(block.dmin) * static_cast<float>(q4k_scale_min(block.scales, i / 32).min);
}
inline float offset_of(const BlockQ5K& block, int i) {
  return half_to_float(block.dmin) * static_cast<float>(q4k_scale_min(block.scales, i / 32).min);
}

// A weight as its two parts, for references: w = product - offset, both exact in fp64.
struct WeightParts {
  double product;
  double offset;
};
// Element i of a row.
WeightParts weight_parts(DType dtype, const void* row, int i);

// Row of k elements -> out (k): scale * code - offset in f32, which rounds once.
void dequantize_row(DType dtype, const void* row, int k, float* out);

}  // namespace assay
