#include "engine/core/dtype.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(DType, GgufNumbers) {
  EXPECT_EQ(dtype_from_gguf(0), DType::kF32);
  EXPECT_EQ(dtype_from_gguf(1), DType::kF16);
  EXPECT_EQ(dtype_from_gguf(2), DType::kQ4_0);
  EXPECT_EQ(dtype_from_gguf(3), DType::kQ4_1);
  EXPECT_EQ(dtype_from_gguf(6), DType::kQ5_0);
  EXPECT_EQ(dtype_from_gguf(7), DType::kQ5_1);
  EXPECT_EQ(dtype_from_gguf(8), DType::kQ8_0);
  EXPECT_EQ(dtype_from_gguf(12), DType::kQ4K);
  EXPECT_EQ(dtype_from_gguf(13), DType::kQ5K);
  EXPECT_EQ(dtype_from_gguf(14), DType::kQ6K);
  EXPECT_EQ(dtype_from_gguf(30), DType::kBF16);
  int known = 0;
  for (std::uint32_t number = 0; number < 100; ++number) known += dtype_from_gguf(number) ? 1 : 0;
  EXPECT_EQ(known, 11);
  EXPECT_FALSE(dtype_from_gguf(0xffffffffu).has_value());
}

TEST(DType, BlocksAndBytes) {
  // Bytes of a block: scales and codes, as the formats lay them out.
  EXPECT_EQ(traits(DType::kQ4_0).block_bytes, 2 + 32 / 2);
  EXPECT_EQ(traits(DType::kQ4_1).block_bytes, 2 + 2 + 32 / 2);
  EXPECT_EQ(traits(DType::kQ5_0).block_bytes, 2 + 32 / 8 + 32 / 2);
  EXPECT_EQ(traits(DType::kQ5_1).block_bytes, 2 + 2 + 32 / 8 + 32 / 2);
  EXPECT_EQ(traits(DType::kQ8_0).block_bytes, 2 + 32);
  EXPECT_EQ(traits(DType::kQ4K).block_bytes, 2 + 2 + 12 + 256 / 2);
  EXPECT_EQ(traits(DType::kQ5K).block_bytes, 2 + 2 + 12 + 256 / 8 + 256 / 2);
  EXPECT_EQ(traits(DType::kQ6K).block_bytes, 256 / 2 + 256 / 4 + 16 + 2);
  EXPECT_EQ(row_bytes(DType::kF32, 896), 3584u);
  EXPECT_EQ(row_bytes(DType::kF16, 896), 1792u);
  EXPECT_EQ(row_bytes(DType::kQ8_0, 896), 952u);
  EXPECT_EQ(row_bytes(DType::kQ4K, 512), 288u);
  EXPECT_EQ(row_bytes(DType::kQ6K, 512), 420u);
  EXPECT_EQ(row_bytes(DType::kF32, 0), 0u);
}

TEST(DType, Names) {
  EXPECT_EQ(traits(DType::kF32).name, "f32");
  EXPECT_EQ(traits(DType::kQ4K).name, "q4_K");
  EXPECT_EQ(traits(DType::kQ4K).suffix, "q4k");
  EXPECT_EQ(traits(DType::kQ6K).suffix, "q6k");
}

TEST(DType, FloatsAreThoseWithoutBlocks) {
  for (const DTypeTraits& type : all_dtypes()) {
    const bool expected =
        type.dtype == DType::kF32 || type.dtype == DType::kF16 || type.dtype == DType::kBF16;
    EXPECT_EQ(is_float(type.dtype), expected) << type.name;
  }
}

}  // namespace
}  // namespace assay
