// Weight formats by the places of their fields: drawn from it, and read in fp64.
//
// Kernels and kernels/blocks.h read blocks by structs; this is a second writing of the formats, by
// byte offsets, so that an error in one of them shows. self_check.cu compares the two.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

#include "engine/core/dtype.h"
#include "kernels/host_device.h"

namespace assay::sweep {

enum class Codes { kF32, kF16, kBF16, kNibbles, kBytes, kSuper, kSix };

struct Format {
  Codes codes;
  int elements;  // of a block
  int bytes;     // of a block
  int low;       // byte offset of codes, or of their lower four bits
  int high;      // of their upper bits; -1: none
  int d;         // of the f16 scale; -1: a float type
  int m;         // of the f16 offset; -1: none
  int bias;      // taken from a code
  // Draws: d is about deviation / per_deviation, m about `offset` times that.
  float per_deviation;
  float offset;
};

constexpr Format format_of(DType dtype) {
  switch (dtype) {
    case DType::kF32:
      return {Codes::kF32, 1, 4, 0, -1, -1, -1, 0, 1, 0};
    case DType::kF16:
      return {Codes::kF16, 1, 2, 0, -1, -1, -1, 0, 1, 0};
    case DType::kBF16:
      return {Codes::kBF16, 1, 2, 0, -1, -1, -1, 0, 1, 0};
    case DType::kQ4_0:
      return {Codes::kNibbles, 32, 18, 2, -1, 0, -1, 8, 4.6f, 0};
    case DType::kQ4_1:
      return {Codes::kNibbles, 32, 20, 4, -1, 0, 2, 0, 4.6f, -7.5f};
    case DType::kQ5_0:
      return {Codes::kNibbles, 32, 22, 6, 2, 0, -1, 16, 9.2f, 0};
    case DType::kQ5_1:
      return {Codes::kNibbles, 32, 24, 8, 4, 0, 2, 0, 9.2f, -15.5f};
    case DType::kQ8_0:
      return {Codes::kBytes, 32, 34, 2, -1, 0, -1, 0, 74, 0};
    case DType::kQ4K:
      return {Codes::kSuper, 256, 144, 16, -1, 0, 2, 0, 170, 7.5f};
    case DType::kQ5K:
      return {Codes::kSuper, 256, 176, 48, 16, 0, 2, 0, 340, 15.5f};
    case DType::kQ6K:
      return {Codes::kSix, 256, 210, 0, 128, 208, -1, 32, 1370, 0};
  }
  return {};
}

ASSAY_HOST_DEVICE inline std::uint16_t word_at(const std::uint8_t* bytes) {
  return static_cast<std::uint16_t>(bytes[0] | bytes[1] << 8);
}
ASSAY_HOST_DEVICE inline double half_at(const std::uint8_t* bytes) {
  return static_cast<double>(__half2float(__half(__half_raw{word_at(bytes)})));
}
ASSAY_HOST_DEVICE inline double float_at(const std::uint8_t* bytes, int count) {
  union {
    std::uint32_t word;
    float value;
  } bits{0};
  for (int i = 0; i < count; ++i)
    bits.word |= static_cast<std::uint32_t>(bytes[i]) << 8 * (4 - count + i);
  return static_cast<double>(bits.value);
}

// w = product - offset, both exact.
struct Weight {
  double product;
  double offset;
};

// Element i of a 32-block.
ASSAY_HOST_DEVICE inline Weight weight_of_32(const Format& f, const std::uint8_t* block, int i) {
  int code = 0;
  if (f.codes == Codes::kBytes) {
    code = static_cast<std::int8_t>(block[f.low + i]);
  } else {
    code = block[f.low + i % 16] >> i / 16 * 4 & 15;
    if (f.high >= 0) code += (block[f.high + i / 8] >> i % 8 & 1) * 16;
  }
  return {half_at(block + f.d) * (code - f.bias), f.m < 0 ? 0.0 : -half_at(block + f.m)};
}

// Element i of a 256-block of eight scales and minima of six bits, which stand behind d and m.
ASSAY_HOST_DEVICE inline Weight weight_of_super(const Format& f, const std::uint8_t* block, int i) {
  const int part = i / 32;
  const std::uint8_t* six = block + 4 + part % 4;
  const int scale = part < 4 ? six[0] % 64 : six[8] % 16 + six[0] / 64 * 16;
  const int minimum = part < 4 ? six[4] % 64 : six[8] / 16 + six[4] / 64 * 16;
  int code = block[f.low + i / 64 * 32 + i % 32] >> part % 2 * 4 & 15;
  if (f.high >= 0) code += (block[f.high + i % 32] >> part & 1) * 16;
  return {half_at(block + f.d) * scale * code, half_at(block + f.m) * minimum};
}

// Element i of a q6_K block: its sixteen signed scales stand before d.
ASSAY_HOST_DEVICE inline Weight weight_of_six(const Format& f, const std::uint8_t* block, int i) {
  const int half = i / 128;
  const int run = i / 32 % 4;
  const int low = block[f.low + half * 64 + i % 64] >> run / 2 * 4 & 15;
  const int high = block[f.high + half * 32 + i % 32] >> run * 2 & 3;
  const int scale = static_cast<std::int8_t>(block[f.d - 16 + i / 16]);
  return {half_at(block + f.d) * scale * (low + high * 16 - f.bias), 0.0};
}

// Element i of a row.
ASSAY_HOST_DEVICE inline Weight weight_of(const Format& f, const std::uint8_t* row, int i) {
  const std::uint8_t* block = row + static_cast<std::int64_t>(i / f.elements) * f.bytes;
  switch (f.codes) {
    case Codes::kF32:
      return {float_at(block, 4), 0.0};
    case Codes::kF16:
      return {half_at(block), 0.0};
    case Codes::kBF16:
      return {float_at(block, 2), 0.0};
    case Codes::kNibbles:
    case Codes::kBytes:
      return weight_of_32(f, block, i % 32);
    case Codes::kSuper:
      return weight_of_super(f, block, i % 256);
    case Codes::kSix:
      return weight_of_six(f, block, i % 256);
  }
  return {};
}

}  // namespace assay::sweep
