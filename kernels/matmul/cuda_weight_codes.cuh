// Eight weights at a time, of any type and layout, as the parts that kernels/blocks.h defines.
//
// Every quantised format gives eight unsigned codes, one per byte, that are its code plus kBias; a
// scale; and an offset. Fields of blocks are found by WeightFields, which holds both layouts, so
// that one reader serves raw blocks and planes. In planes fields are aligned to their loads; raw
// blocks of 18 to 34 or 210 bytes are aligned to 2, and are read so.
//
// All functions also run on the host, where a test can compare them with kernels/blocks.h.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

#include "engine/core/dtype.h"
#include "kernels/weight_layout.h"

namespace assay::cuda {

// Field f of block b is at base[f] + b * stride[f]. Types without planes have one field, the block.
struct WeightFields {
  const std::uint8_t* base[4];
  int stride[4];  // bytes
};

// `blocks`: of the whole tensor.
inline WeightFields find_fields(DType dtype, WeightLayout layout, const void* weights,
                                std::int64_t blocks) {
  const auto* bytes = static_cast<const std::uint8_t*>(weights);
  WeightFields fields{{bytes, bytes, bytes, bytes}, {traits(dtype).block_bytes, 0, 0, 0}};
  const std::span<const PlaneField> planes = plane_fields_of(dtype);
  for (std::size_t f = 0; f < planes.size(); ++f) {
    const bool raw = layout == WeightLayout::kRaw;
    const std::int64_t plane = plane_offset(planes, static_cast<int>(f), blocks);
    fields.base[f] = bytes + (raw ? planes[f].offset : plane);
    fields.stride[f] = raw ? traits(dtype).block_bytes : planes[f].bytes;
  }
  return fields;
}

struct EightCodes {
  std::uint32_t low;   // codes 0..3 plus the format's bias, lowest byte first
  std::uint32_t high;  // codes 4..7
  float scale;
  float offset;
};

__host__ __device__ __forceinline__ std::uint32_t load_2(const std::uint8_t* from) {
  return *reinterpret_cast<const std::uint16_t*>(from);
}
template <bool kAligned>
__host__ __device__ __forceinline__ std::uint32_t load_4(const std::uint8_t* from) {
  if constexpr (kAligned) return *reinterpret_cast<const std::uint32_t*>(from);
  return load_2(from) | load_2(from + 2) << 16;
}
template <bool kAligned>
__host__ __device__ __forceinline__ uint2 load_8(const std::uint8_t* from) {
  if constexpr (kAligned) return *reinterpret_cast<const uint2*>(from);
  return make_uint2(load_4<false>(from), load_4<false>(from + 4));
}
__host__ __device__ __forceinline__ float half_bits_to_float(std::uint32_t bits) {
  const __half_raw raw{static_cast<unsigned short>(bits)};
  return __half2float(__half(raw));
}
// Bit i of `bits` -> bit 4 of byte i.
__host__ __device__ __forceinline__ std::uint32_t spread_fifth_bits(std::uint32_t bits) {
  return (bits & 1) << 4 | (bits & 2) << 11 | (bits & 4) << 18 | (bits & 8) << 25;
}

// q4_0, q4_1, q5_0, q5_1: nibbles of 16 + 16 elements, perhaps fifth bits, d and perhaps m.
template <bool kFive, bool kMinimum>
struct NibbleFormat {
  static constexpr int kElements = 32;
  static constexpr float kBias = kMinimum ? 0.0f : kFive ? 16.0f : 8.0f;
  static constexpr int kScaleField = kFive ? 2 : 1;

  template <bool kAligned>
  __host__ __device__ static EightCodes read(const WeightFields& fields, std::int64_t block,
                                             int first) {
    const uint2 bytes = load_8<kAligned>(fields.base[0] + block * fields.stride[0] + (first & 8));
    const int shift = first < 16 ? 0 : 4;
    EightCodes codes{bytes.x >> shift & 0x0f0f0f0fu, bytes.y >> shift & 0x0f0f0f0fu, 0.0f, 0.0f};
    if constexpr (kFive) {
      const std::uint32_t bits =
          load_4<kAligned>(fields.base[1] + block * fields.stride[1]) >> first;
      codes.low |= spread_fifth_bits(bits);
      codes.high |= spread_fifth_bits(bits >> 4);
    }
    const std::uint8_t* scale = fields.base[kScaleField] + block * fields.stride[kScaleField];
    if constexpr (kMinimum) {
      const std::uint32_t both = load_4<kAligned>(scale);
      codes.scale = half_bits_to_float(both & 0xffffu);
      codes.offset = -half_bits_to_float(both >> 16);
    } else {
      codes.scale = half_bits_to_float(load_2(scale));
    }
    return codes;
  }
};

struct Q8_0Format {
  static constexpr int kElements = 32;
  static constexpr float kBias = 128.0f;

  template <bool kAligned>
  __host__ __device__ static EightCodes read(const WeightFields& fields, std::int64_t block,
                                             int first) {
    const uint2 bytes = load_8<kAligned>(fields.base[0] + block * fields.stride[0] + first);
    const float scale = half_bits_to_float(load_2(fields.base[1] + block * fields.stride[1]));
    return {bytes.x ^ 0x80808080u, bytes.y ^ 0x80808080u, scale, 0.0f};
  }
};

// q4_K and q5_K: raw blocks, multiples of 16 bytes, that begin with d, dmin and 12 bytes of scales.
template <bool kFive>
struct SuperFormat {
  static constexpr int kElements = 256;
  static constexpr float kBias = 0.0f;

  template <bool kAligned>
  __host__ __device__ static EightCodes read(const WeightFields& fields, std::int64_t block,
                                             int first) {
    const std::uint8_t* from = fields.base[0] + block * fields.stride[0];
    const uint4 head = *reinterpret_cast<const uint4*>(from);
    const int sub = first / 32;
    const std::uint8_t* nibbles = from + (kFive ? 48 : 16) + sub / 2 * 32 + first % 32;
    const uint2 bytes = load_8<true>(nibbles);
    const int shift = sub % 2 * 4;
    EightCodes codes{bytes.x >> shift & 0x0f0f0f0fu, bytes.y >> shift & 0x0f0f0f0fu, 0.0f, 0.0f};
    if constexpr (kFive) {
      const uint2 fifth = load_8<true>(from + 16 + first % 32);
      codes.low |= (fifth.x >> sub & 0x01010101u) << 4;
      codes.high |= (fifth.y >> sub & 0x01010101u) << 4;
    }
    // Bytes sub % 4, sub % 4 + 4 and sub % 4 + 8 of the scales, as q4k_scale_min wants them.
    const std::uint32_t a = head.y >> sub % 4 * 8 & 0xffu;
    const std::uint32_t b = head.z >> sub % 4 * 8 & 0xffu;
    const std::uint32_t c = head.w >> sub % 4 * 8 & 0xffu;
    const std::uint32_t scale = sub < 4 ? a & 63 : (c & 15) | a >> 6 << 4;
    const std::uint32_t minimum = sub < 4 ? b & 63 : c >> 4 | b >> 6 << 4;
    codes.scale = half_bits_to_float(head.x & 0xffffu) * static_cast<float>(scale);
    codes.offset = half_bits_to_float(head.x >> 16) * static_cast<float>(minimum);
    return codes;
  }
};

struct Q6KFormat {
  static constexpr int kElements = 256;
  static constexpr float kBias = 32.0f;

  template <bool kAligned>
  __host__ __device__ static EightCodes read(const WeightFields& fields, std::int64_t block,
                                             int first) {
    const int half = first / 128;
    const int quarter = first / 32 % 4;
    const int at = first % 32;
    const uint2 low = load_8<kAligned>(fields.base[0] + block * fields.stride[0] + half * 64 +
                                       quarter % 2 * 32 + at);
    const uint2 high = load_8<kAligned>(fields.base[1] + block * fields.stride[1] + half * 32 + at);
    const int shift = quarter / 2 * 4;
    const int pair = quarter * 2;
    const auto scale =
        static_cast<std::int8_t>(fields.base[2][block * fields.stride[2] + first / 16]);
    const float d = half_bits_to_float(load_2(fields.base[3] + block * fields.stride[3]));
    return {(low.x >> shift & 0x0f0f0f0fu) | (high.x >> pair & 0x03030303u) << 4,
            (low.y >> shift & 0x0f0f0f0fu) | (high.y >> pair & 0x03030303u) << 4,
            d * static_cast<float>(scale), 0.0f};
  }
};

// scale * code - offset, each rounded as in dequantize_row. Codes plus bias become f32 by their
// place in the mantissa of 2^23, which is exact.
template <typename Format>
__host__ __device__ __forceinline__ float weight_of(const EightCodes& codes, int i) {
  const std::uint32_t byte = (i < 4 ? codes.low : codes.high) >> i % 4 * 8 & 0xffu;
  union {
    std::uint32_t bits;
    float value;
  } placed{byte | 0x4b000000u};
  const float code = placed.value - (8388608.0f + Format::kBias);
  const float product = codes.scale * code;
  return product - codes.offset;
}

}  // namespace assay::cuda
