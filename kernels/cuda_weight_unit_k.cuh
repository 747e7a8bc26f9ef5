// Units of the types with 256-blocks: 64 elements, two 32-blocks as low and high nibbles of the
// same 32 bytes. kernels/cuda_weight_unit.cuh says what a unit is.
#pragma once

#include "kernels/cuda_weight_unit.cuh"

namespace assay::cuda {

// q4_K, q5_K: the 32-blocks are neighbours, 2 * phase and 2 * phase + 1 of their 256-block.
template <DType kType>
struct PairUnit {
  static constexpr WeightLayout kLayout = WeightLayout::kRaw;
  static constexpr int kElements = 64;
  static constexpr int kParts = 2;
  static constexpr int kPhases = 4;
  static constexpr int kDepth = 2;
  static constexpr bool kHasFifth = kType == DType::kQ5K;
  static constexpr bool kHasOffset = true;
  static constexpr int kBias = 0;
  static constexpr int kHeadField = kHasFifth ? 2 : 1;

  std::uint32_t nibbles[8];
  std::uint32_t fifth[8];  // bit s of byte i: of element i of sub-block s
  std::uint32_t head[4];   // d and dmin, then 12 bytes of scales and mins

  __device__ static WeightView view_of(WeightView view, int phase) {
    view.field[0] += 32 * phase;
    return view;
  }
  __device__ static int block_of(int unit, int part) { return 2 * unit + part; }
  __device__ static int unit_of(int block) { return block / 2; }
  __device__ static int part_of(int block) { return block % 2; }

  __device__ __forceinline__ static PairUnit load(const WeightView& view, std::uint32_t block) {
    PairUnit unit;
    load_words<8, true>(field_at<kType, kLayout, 0>(view, block), unit.nibbles);
    if constexpr (kHasFifth) {
      load_words<8, true>(field_at<kType, kLayout, 1>(view, block), unit.fifth);
    }
    load_words<4, true>(field_at<kType, kLayout, kHeadField>(view, block), unit.head);
    return unit;
  }
  __device__ __forceinline__ void codes(int phase, int part, std::uint32_t* word) const {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      word[i] = (part == 0 ? nibbles[i] : nibbles[i] >> 4) & kNibbles;
      if constexpr (kHasFifth) word[i] |= (fifth[i] >> (2 * phase + part) & 0x01010101u) << 4;
    }
  }
  // 6-bit scales of both parts in bytes 0 and 1 (kernels/blocks.h, q4k_scale_min).
  __device__ __forceinline__ std::uint32_t scale_pair(int phase) const {
    const int shift = 16 * (phase & 1);
    const std::uint32_t first = head[1] >> shift;
    const std::uint32_t third = head[3] >> shift;
    return phase < 2 ? first & 0x3f3fu : (third & 0x0f0fu) | ((first >> 2) & 0x3030u);
  }
  __device__ __forceinline__ std::uint32_t min_pair(int phase) const {
    const int shift = 16 * (phase & 1);
    const std::uint32_t second = head[2] >> shift;
    const std::uint32_t third = head[3] >> shift;
    return phase < 2 ? second & 0x3f3fu : ((third >> 4) & 0x0f0fu) | ((second >> 2) & 0x3030u);
  }
  __device__ float d() const {
    return half_bits(head[0]);
  }
  __device__ float dmin() const {
    return half_bits(head[0] >> 16);
  }
  __device__ float scale(int phase, int part, int) const {
    return d() * static_cast<float>(scale_pair(phase) >> (8 * part) & 0xffu);
  }
  __device__ float offset(int phase, int part) const {
    return dmin() * static_cast<float>(min_pair(phase) >> (8 * part) & 0xffu);
  }
};

// q6_K: phase 2 * half + column. The 32-blocks are 4 * half + column and that plus two.
template <WeightLayout kTheLayout>
struct Q6KUnit {
  static constexpr DType kType = DType::kQ6K;
  static constexpr WeightLayout kLayout = kTheLayout;
  static constexpr int kElements = 64;
  static constexpr int kParts = 2;
  static constexpr int kPhases = 4;
  static constexpr bool kHasOffset = false;
  static constexpr int kBias = 32;
  static constexpr bool kWide = has_wide_fields(kType, kLayout);
  static constexpr int kDepth = kWide ? 2 : 1;  // narrow loads need registers of their own

  std::uint32_t low[8];
  std::uint32_t high[8];    // two bits of each of a half's four 32-blocks
  std::uint32_t scales[2];  // of the half: two bytes per 32-block
  std::uint32_t d;

  __device__ static WeightView view_of(WeightView view, int phase) {
    view.field[0] += 32 * phase;
    view.field[1] += 32 * (phase / 2);
    view.field[2] += 8 * (phase / 2);
    return view;
  }
  __device__ static int block_of(int unit, int part) { return 2 * unit - unit % 2 + 2 * part; }
  __device__ static int unit_of(int block) { return block / 4 * 2 + block % 2; }
  __device__ static int part_of(int block) { return block / 2 % 2; }

  __device__ __forceinline__ static Q6KUnit load(const WeightView& view, std::uint32_t block) {
    Q6KUnit unit;
    load_words<8, kWide>(field_at<kType, kLayout, 0>(view, block), unit.low);
    load_words<8, kWide>(field_at<kType, kLayout, 1>(view, block), unit.high);
    load_words<2, kWide>(field_at<kType, kLayout, 2>(view, block), unit.scales);
    unit.d =
        __ldg(reinterpret_cast<const std::uint16_t*>(field_at<kType, kLayout, 3>(view, block)));
    return unit;
  }
  __device__ __forceinline__ void codes(int phase, int part, std::uint32_t* word) const {
    const int column = phase & 1;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const std::uint32_t pairs = high[i] >> (2 * column);
      word[i] = part == 0 ? (low[i] & kNibbles) | (pairs << 4 & 0x30303030u)
                          : (low[i] >> 4 & kNibbles) | (pairs & 0x30303030u);
    }
  }
  // The int8 scale of the first (half 0) or last (half 1) 16 elements of a part.
  __device__ __forceinline__ int scale_code(int phase, int part, int half) const {
    const std::uint32_t pair = scales[part] >> (16 * (phase & 1));
    return static_cast<std::int8_t>(pair >> (8 * half) & 0xffu);
  }
  __device__ float scale(int phase, int part, int half) const {
    return half_bits(d) * static_cast<float>(scale_code(phase, part, half));
  }
  __device__ float offset(int, int) const {
    return 0.0f;
  }
};

template <DType kType, WeightLayout kLayout>
struct WeightUnitOf {
  using Type = NibbleUnit<kType, kLayout>;
};
template <WeightLayout kLayout>
struct WeightUnitOf<DType::kQ8_0, kLayout> {
  using Type = ByteUnit<kLayout>;
};
template <WeightLayout kLayout>
struct WeightUnitOf<DType::kQ4K, kLayout> {
  using Type = PairUnit<DType::kQ4K>;
};
template <WeightLayout kLayout>
struct WeightUnitOf<DType::kQ5K, kLayout> {
  using Type = PairUnit<DType::kQ5K>;
};
template <WeightLayout kLayout>
struct WeightUnitOf<DType::kQ6K, kLayout> {
  using Type = Q6KUnit<kLayout>;
};
// The unit of a quantised type.
template <DType kType, WeightLayout kLayout>
using WeightUnit = typename WeightUnitOf<kType, kLayout>::Type;

}  // namespace assay::cuda
