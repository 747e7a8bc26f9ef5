#include "kernels/blocks.h"

namespace assay {
namespace {

// What a format's row is made of, so that one piece of code serves all.
template <typename Block>
struct BlockRow {
  const Block* blocks;
  static constexpr int kElements = kBlockElements<Block>;
};
struct FloatRow {
  DType dtype;
  const unsigned char* bytes;

  float at(int i) const {
    if (dtype == DType::kF32) {
      float value = 0;
      std::memcpy(&value, bytes + 4 * static_cast<std::size_t>(i), 4);
      return value;
    }
    std::uint16_t bits = 0;
    std::memcpy(&bits, bytes + 2 * static_cast<std::size_t>(i), 2);
    return dtype == DType::kF16 ? half_to_float(bits) : bfloat_to_float(bits);
  }
};

// body(BlockRow) or body(FloatRow), whichever the type has.
template <typename Body>
auto visit_row(DType dtype, const void* row, const Body& body) {
  switch (dtype) {
    case DType::kF32:
    case DType::kF16:
    case DType::kBF16:
      break;
    case DType::kQ4_0:
      return body(BlockRow<BlockQ4_0>{static_cast<const BlockQ4_0*>(row)});
    case DType::kQ4_1:
      return body(BlockRow<BlockQ4_1>{static_cast<const BlockQ4_1*>(row)});
    case DType::kQ5_0:
      return body(BlockRow<BlockQ5_0>{static_cast<const BlockQ5_0*>(row)});
    case DType::kQ5_1:
      return body(BlockRow<BlockQ5_1>{static_cast<const BlockQ5_1*>(row)});
    case DType::kQ8_0:
      return body(BlockRow<BlockQ8_0>{static_cast<const BlockQ8_0*>(row)});
    case DType::kQ4K:
      return body(BlockRow<BlockQ4K>{static_cast<const BlockQ4K*>(row)});
    case DType::kQ5K:
      return body(BlockRow<BlockQ5K>{static_cast<const BlockQ5K*>(row)});
    case DType::kQ6K:
      return body(BlockRow<BlockQ6K>{static_cast<const BlockQ6K*>(row)});
  }
  return body(FloatRow{dtype, static_cast<const unsigned char*>(row)});
}

struct Parts {
  int i;

  template <typename Row>
  WeightParts operator()(const Row& row) const {
    const auto& block = row.blocks[i / Row::kElements];
    const int e = i % Row::kElements;
    return {static_cast<double>(scale_of(block, e)) * code_of(block, e), offset_of(block, e)};
  }
  WeightParts operator()(const FloatRow& row) const { return {row.at(i), 0.0}; }
};

struct Dequantize {
  int k;
  float* out;

  template <typename Row>
  void operator()(const Row& row) const {
    for (int i = 0; i < k; i += 16) {  // no format changes its scale within sixteen elements
      const auto& block = row.blocks[i / Row::kElements];
      const int first = i % Row::kElements;
      const float scale = scale_of(block, first);
      const float offset = offset_of(block, first);
      for (int e = 0; e < 16; ++e) {
        const float product = scale * static_cast<float>(code_of(block, first + e));
        out[i + e] = product - offset;
      }
    }
  }
  void operator()(const FloatRow& row) const {
    for (int i = 0; i < k; ++i) out[i] = row.at(i);
  }
};

}  // namespace

WeightParts weight_parts(DType dtype, const void* row, int i) {
  return visit_row(dtype, row, Parts{i});
}

void dequantize_row(DType dtype, const void* row, int k, float* out) {
  visit_row(dtype, row, Dequantize{k, out});
}

}  // namespace assay
