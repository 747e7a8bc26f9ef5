// A thread's share of a weight row: 32 or 64 elements, loaded wide and unpacked to bytes.
//
// One struct per family of formats, each over the raw and the planes layout
// (kernels/weight_layout.h). A unit is what 16 or 32 bytes of codes hold: a 32-block; for the types
// of 256-blocks a pair of 32-blocks, because these share their bytes as low and high nibbles. Rows
// are read by units, so a 256-block has four, told apart by their `phase` 0..3. WeightUnit<type,
// layout> has
//
//   kElements, kParts (32-blocks of a unit), kPhases (units of a block of the file)
//   kDepth            units that a lane should have in flight
//   view_of(view, phase)   the view with the phase's offsets added
//   load(view, block)      of the file's block `block`, counted from the tensor's start
//   block_of(unit, part)   which 32-block of the row a part is; unit_of, part_of: the way back
//   codes(phase, part, word)   32 codes as bytes; an element's integer is its signed byte - kBias
//   scale(phase, part, half), offset(phase, part)   of 16 and of 32 elements, as blocks.h defines
//
// Fields are read where they lie. Planes and the 256-blocks of q4_K and q5_K permit 4- to 16-byte
// loads; other raw blocks are read by two bytes, which their even sizes permit.
#pragma once

#include <cuda_fp16.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/core/dtype.h"
#include "kernels/weight_layout.h"

namespace assay::cuda {

// Field f of block b is at field[f] + b * (the field's stride).
struct WeightView {
  const std::byte* field[4];
};

namespace unit_fields {
inline constexpr PlaneField kQ4K[] = {{16, 128}, {0, 16}};            // codes, head
inline constexpr PlaneField kQ5K[] = {{48, 128}, {16, 32}, {0, 16}};  // codes, high, head
}  // namespace unit_fields

// The fields in the order in which a unit counts them; those of the planes where a type has planes.
constexpr std::span<const PlaneField> unit_fields_of(DType dtype) {
  if (dtype == DType::kQ4K) return unit_fields::kQ4K;
  if (dtype == DType::kQ5K) return unit_fields::kQ5K;
  return plane_fields_of(dtype);
}

constexpr int block_bytes_of(DType dtype) {
  int bytes = 0;
  for (const PlaneField& field : unit_fields_of(dtype)) bytes += field.bytes;
  return bytes;
}

// Bytes from block to block of a field.
constexpr int field_stride(DType dtype, WeightLayout layout, int field) {
  const bool planes = layout == WeightLayout::kPlanes && !plane_fields_of(dtype).empty();
  return planes ? unit_fields_of(dtype)[static_cast<std::size_t>(field)].bytes
                : block_bytes_of(dtype);
}

// Whether fields of four bytes and more are aligned to their size, up to 16.
constexpr bool has_wide_fields(DType dtype, WeightLayout layout) {
  return dtype == DType::kQ4K || dtype == DType::kQ5K || layout == WeightLayout::kPlanes;
}

// Of a tensor of `blocks` blocks at `base`.
inline WeightView weight_view(DType dtype, WeightLayout layout, const void* base,
                              std::int64_t blocks) {
  const std::span<const PlaneField> fields = unit_fields_of(dtype);
  const bool planes = layout == WeightLayout::kPlanes && !plane_fields_of(dtype).empty();
  WeightView view{};
  for (int f = 0; f < static_cast<int>(fields.size()); ++f) {
    const auto at = static_cast<std::size_t>(f);
    view.field[at] = static_cast<const std::byte*>(base) +
                     (planes ? plane_offset(fields, f, blocks) : fields[at].offset);
  }
  return view;
}

// Words at `from`. kOnce: every 32-byte sector is asked for by one instruction of a warp, so that
// keeping it in L1 is of no use.
template <int kWords, bool kWide, bool kOnce = false>
__device__ __forceinline__ void load_words(const std::byte* from, std::uint32_t* word) {
  static_assert(kWords == 1 || kWords == 2 || kWords == 4 || kWords == 8);
  if constexpr (!kWide) {
    const auto* half = reinterpret_cast<const std::uint16_t*>(from);
#pragma unroll
    for (int i = 0; i < kWords; ++i) {
      word[i] = __ldg(half + 2 * i) | static_cast<std::uint32_t>(__ldg(half + 2 * i + 1)) << 16;
    }
  } else if constexpr (kWords >= 4) {
#pragma unroll
    for (int i = 0; i < kWords; i += 4) {
      if constexpr (kOnce) {
        asm("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
            : "=r"(word[i]), "=r"(word[i + 1]), "=r"(word[i + 2]), "=r"(word[i + 3])
            : "l"(from + 4 * i));
      } else {
        const uint4 four = __ldg(reinterpret_cast<const uint4*>(from) + i / 4);
        word[i] = four.x;
        word[i + 1] = four.y;
        word[i + 2] = four.z;
        word[i + 3] = four.w;
      }
    }
  } else if constexpr (kWords == 2) {
    const uint2 two = __ldg(reinterpret_cast<const uint2*>(from));
    word[0] = two.x;
    word[1] = two.y;
  } else {
    word[0] = __ldg(reinterpret_cast<const std::uint32_t*>(from));
  }
}

__device__ __forceinline__ float half_bits(std::uint32_t word) {  // of the lower two bytes
  return __half2float(__ushort_as_half(static_cast<unsigned short>(word & 0xffffu)));
}

constexpr std::uint32_t kNibbles = 0x0f0f0f0fu;

// Address of a field of a block.
template <DType kType, WeightLayout kLayout, int kField>
__device__ __forceinline__ const std::byte* field_at(const WeightView& view, std::uint32_t block) {
  constexpr int kStride = field_stride(kType, kLayout, kField);
  return view.field[kField] + static_cast<std::uint64_t>(block) * kStride;
}

// q4_0, q4_1, q5_0, q5_1: 16 bytes of nibbles, low ones first; a scale or a scale and a minimum;
// for q5 a word of fifth bits.
template <DType kType, WeightLayout kLayout>
struct NibbleUnit {
  static constexpr int kElements = 32;
  static constexpr int kParts = 1;
  static constexpr int kPhases = 1;
  static constexpr int kDepth = 4;
  static constexpr bool kWide = has_wide_fields(kType, kLayout);
  static constexpr bool kHasFifth = kType == DType::kQ5_0 || kType == DType::kQ5_1;
  static constexpr bool kHasOffset = kType == DType::kQ4_1 || kType == DType::kQ5_1;
  static constexpr int kBias = kHasOffset ? 0 : kHasFifth ? 16 : 8;
  static constexpr int kScaleField = kHasFifth ? 2 : 1;

  std::uint32_t nibbles[4];
  std::uint32_t fifth[1];   // bit i: of element i
  std::uint32_t scales[1];  // d, and m above it

  __device__ static WeightView view_of(const WeightView& view, int) { return view; }
  __device__ static int block_of(int unit, int) { return unit; }
  __device__ static int unit_of(int block) { return block; }
  __device__ static int part_of(int) { return 0; }

  __device__ __forceinline__ static NibbleUnit load(const WeightView& view, std::uint32_t block) {
    NibbleUnit unit;
    load_words<4, kWide, true>(field_at<kType, kLayout, 0>(view, block), unit.nibbles);
    if constexpr (kHasFifth) {
      load_words<1, kWide>(field_at<kType, kLayout, 1>(view, block), unit.fifth);
    }
    const std::byte* scale = field_at<kType, kLayout, kScaleField>(view, block);
    if constexpr (kHasOffset) {
      load_words<1, kWide>(scale, unit.scales);
    } else {
      unit.scales[0] = __ldg(reinterpret_cast<const std::uint16_t*>(scale));
    }
    return unit;
  }
  __device__ __forceinline__ void codes(int, int, std::uint32_t* word) const {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      word[i] = nibbles[i] & kNibbles;
      word[4 + i] = (nibbles[i] >> 4) & kNibbles;
    }
    if constexpr (kHasFifth) {
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        // Four bits to bit 4 of four bytes: no two of the product's sixteen bits meet.
        word[i] |= ((fifth[0] >> (4 * i) & 0x0fu) * 0x02040810u) & 0x10101010u;
      }
    }
  }
  __device__ float scale(int, int, int) const {
    return half_bits(scales[0]);
  }
  __device__ float offset(int, int) const {
    return -half_bits(scales[0] >> 16);
  }  // -m
};

// q8_0: 32 signed bytes and a scale.
template <WeightLayout kLayout>
struct ByteUnit {
  static constexpr DType kType = DType::kQ8_0;
  static constexpr int kElements = 32;
  static constexpr int kParts = 1;
  static constexpr int kPhases = 1;
  static constexpr int kDepth = 4;
  static constexpr bool kHasOffset = false;
  static constexpr int kBias = 0;

  std::uint32_t bytes[8];
  std::uint32_t d;

  __device__ static WeightView view_of(const WeightView& view, int) { return view; }
  __device__ static int block_of(int unit, int) { return unit; }
  __device__ static int unit_of(int block) { return block; }
  __device__ static int part_of(int) { return 0; }

  __device__ __forceinline__ static ByteUnit load(const WeightView& view, std::uint32_t block) {
    ByteUnit unit;
    load_words<8, has_wide_fields(kType, kLayout)>(field_at<kType, kLayout, 0>(view, block),
                                                   unit.bytes);
    unit.d =
        __ldg(reinterpret_cast<const std::uint16_t*>(field_at<kType, kLayout, 1>(view, block)));
    return unit;
  }
  __device__ __forceinline__ void codes(int, int, std::uint32_t* word) const {
#pragma unroll
    for (int i = 0; i < 8; ++i) word[i] = bytes[i];
  }
  __device__ float scale(int, int, int) const {
    return half_bits(d);
  }
  __device__ float offset(int, int) const {
    return 0.0f;
  }
};

}  // namespace assay::cuda
