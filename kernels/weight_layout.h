// Where the fields of a tensor's blocks lie under WeightLayout::kPlanes.
//
// Blocks of 18, 22, 34 or 210 bytes leave a GPU no aligned load wider than two bytes. As planes,
// field f of all blocks stands in one array, block after block in the tensor's order, and the
// arrays follow each other; fields are listed widest first, so that every array of a tensor whose
// block count is a multiple of 8 begins at a multiple of 16 bytes. The size does not change, and
// the way back is the same loop with source and destination exchanged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/core/dtype.h"

namespace assay {

enum class WeightLayout {
  kRaw,     // as the file has them
  kPlanes,  // as above; a type without planes is raw
};

struct PlaneField {
  int offset;  // in the raw block
  int bytes;   // of the field, per block
};

namespace plane_fields {
inline constexpr PlaneField kQ4_0[] = {{2, 16}, {0, 2}};          // codes, d
inline constexpr PlaneField kQ4_1[] = {{4, 16}, {0, 4}};          // codes, d and m
inline constexpr PlaneField kQ5_0[] = {{6, 16}, {2, 4}, {0, 2}};  // low, high, d
inline constexpr PlaneField kQ5_1[] = {{8, 16}, {4, 4}, {0, 4}};  // low, high, d and m
inline constexpr PlaneField kQ8_0[] = {{2, 32}, {0, 2}};          // codes, d
inline constexpr PlaneField kQ6K[] = {{0, 128}, {128, 64}, {192, 16}, {208, 2}};
}  // namespace plane_fields

// Empty for types that have no planes: float types, and q4_K and q5_K, whose blocks are multiples
// of 16 bytes as they are.
constexpr std::span<const PlaneField> plane_fields_of(DType dtype) {
  switch (dtype) {
    case DType::kQ4_0:
      return plane_fields::kQ4_0;
    case DType::kQ4_1:
      return plane_fields::kQ4_1;
    case DType::kQ5_0:
      return plane_fields::kQ5_0;
    case DType::kQ5_1:
      return plane_fields::kQ5_1;
    case DType::kQ8_0:
      return plane_fields::kQ8_0;
    case DType::kQ6K:
      return plane_fields::kQ6K;
    default:
      return {};
  }
}

// Byte offset of plane `field` in a tensor of `blocks` blocks.
constexpr std::int64_t plane_offset(std::span<const PlaneField> fields, int field,
                                    std::int64_t blocks) {
  std::int64_t offset = 0;
  for (int f = 0; f < field; ++f) offset += blocks * fields[static_cast<std::size_t>(f)].bytes;
  return offset;
}

// raw -> planes and back, `blocks` blocks, on the host: the definition that the device form equals.
void to_planes(DType dtype, const std::byte* raw, std::int64_t blocks, std::byte* planes);
void from_planes(DType dtype, const std::byte* planes, std::int64_t blocks, std::byte* raw);

}  // namespace assay
