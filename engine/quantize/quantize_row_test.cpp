#include "engine/quantize/quantize_row.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "kernels/blocks.h"

namespace assay {
namespace {

const DType kTypes[] = {DType::kF32,  DType::kF16, DType::kBF16,
                        DType::kQ8_0, DType::kQ4K, DType::kQ6K};

std::vector<float> drawn(std::size_t count, unsigned seed, float deviation = 0.05f) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, deviation);
  std::vector<float> x(count);
  for (float& value : x) value = normal(random);
  return x;
}

std::vector<std::byte> row_of(DType dtype, const std::vector<float>& x) {
  std::vector<std::byte> row(row_bytes(dtype, x.size()));
  EXPECT_EQ(quantize_row(dtype, x, row.data()), "") << traits(dtype).name;
  return row;
}

std::vector<float> back(DType dtype, const std::vector<std::byte>& row, std::size_t count) {
  std::vector<float> x(count);
  dequantize_row(dtype, row.data(), static_cast<int>(count), x.data());
  return x;
}

// Root mean square of what is lost, relative to the row's.
double relative_loss(DType dtype, const std::vector<float>& x) {
  const std::vector<float> y = back(dtype, row_of(dtype, x), x.size());
  double lost = 0, all = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    lost += (x[i] - y[i]) * static_cast<double>(x[i] - y[i]);
    all += static_cast<double>(x[i]) * x[i];
  }
  return std::sqrt(lost / all);
}

TEST(QuantizeRow, KnowsItsTypes) {
  int known = 0;
  for (const DTypeTraits& t : all_dtypes()) known += can_quantize_to(t.dtype) ? 1 : 0;
  EXPECT_EQ(known, 6);
  std::vector<std::byte> out(1000);
  EXPECT_EQ(quantize_row(DType::kQ5_0, std::vector<float>(32), out.data()),
            "q5_0 is not a type that rows are quantised to");
}

// Bounds a few percent above what was measured: a search that finds less is noticed.
TEST(QuantizeRow, LosesLittleOfNormalWeights) {
  const std::vector<float> x = drawn(256 * 64, 1);
  EXPECT_EQ(relative_loss(DType::kF32, x), 0);
  EXPECT_LT(relative_loss(DType::kF16, x), 3e-4);
  EXPECT_LT(relative_loss(DType::kBF16, x), 2e-3);
  EXPECT_LT(relative_loss(DType::kQ8_0, x), 0.006);
  EXPECT_LT(relative_loss(DType::kQ6K, x), 0.0185);
  EXPECT_LT(relative_loss(DType::kQ4K, x), 0.074);
}

TEST(QuantizeRow, LosesLittleOfOutliersAndOffsets) {
  std::vector<float> x = drawn(256 * 8, 2);
  for (std::size_t i = 0; i < x.size(); i += 97) x[i] *= 30;
  EXPECT_LT(relative_loss(DType::kQ8_0, x), 0.0125);
  EXPECT_LT(relative_loss(DType::kQ6K, x), 0.037);
  EXPECT_LT(relative_loss(DType::kQ4K, x), 0.103);
  std::vector<float> shifted = drawn(256 * 8, 3);
  for (float& value : shifted) value -= 0.2f;
  EXPECT_LT(relative_loss(DType::kQ4K, shifted), 0.02);
}

TEST(QuantizeRow, ZerosStayZeros) {
  for (const DType dtype : kTypes) {
    for (const float value : back(dtype, row_of(dtype, std::vector<float>(512)), 512)) {
      EXPECT_EQ(value, 0.0f) << traits(dtype).name;
    }
  }
}

TEST(QuantizeRow, ConstantsAndSingleValuesAreMet) {
  for (const DType dtype : kTypes) {
    for (const float value : {1.0f, -1.0f, 0.125f, -3.0f}) {
      const std::vector<float> x(256, value);
      for (const float y : back(dtype, row_of(dtype, x), 256)) {
        EXPECT_NEAR(y, value, std::abs(value) * 0.004f) << traits(dtype).name;
      }
      std::vector<float> alone(256);
      alone[77] = value;
      EXPECT_NEAR(back(dtype, row_of(dtype, alone), 256)[77], value, std::abs(value) * 0.004f)
          << traits(dtype).name << " " << value;
    }
  }
}

// Blocks whose scales are f16 subnormals, or vanish: still finite, and never larger than the input.
TEST(QuantizeRow, TinyWeightsStayTiny) {
  for (const DType dtype : kTypes) {
    for (const float size : {1e-6f, 1e-9f, 1e-20f, 1e-38f, 1e-45f}) {
      const std::vector<float> x = drawn(256, 5, size);
      for (const float y : back(dtype, row_of(dtype, x), 256)) {
        ASSERT_TRUE(std::abs(y) <= 8 * size) << traits(dtype).name << " " << size << " " << y;
      }
    }
  }
}

TEST(QuantizeRow, LargeWeightsAreMetOrRefused) {
  std::vector<float> x(256, 0.5f);
  std::vector<std::byte> out(4 * 256);
  x[40] = 60000;
  for (const DType dtype : kTypes) EXPECT_EQ(quantize_row(dtype, x, out.data()), "");
  x[40] = 3e38f;
  EXPECT_EQ(quantize_row(DType::kF32, x, out.data()), "");
  EXPECT_EQ(quantize_row(DType::kF16, x, out.data()), "element 40 is 3e+38, more than f16 holds");
  EXPECT_EQ(quantize_row(DType::kBF16, x, out.data()), "");
  EXPECT_EQ(quantize_row(DType::kQ8_0, x, out.data()),
            "elements 32 to 63 are more than q8_0 holds");
  EXPECT_EQ(quantize_row(DType::kQ4K, x, out.data()), "elements 0 to 255 are more than q4_K holds");
  EXPECT_EQ(quantize_row(DType::kQ6K, x, out.data()), "elements 0 to 255 are more than q6_K holds");
}

TEST(QuantizeRow, WhatIsNotFiniteIsNamed) {
  std::vector<std::byte> out(4 * 256);
  for (const DType dtype : kTypes) {
    std::vector<float> x(256, 1.0f);
    x[9] = std::numeric_limits<float>::infinity();
    EXPECT_EQ(quantize_row(dtype, x, out.data()), "element 9 is inf");
    x[3] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(quantize_row(dtype, x, out.data()), "element 3 is nan");
  }
}

// What a block holds exactly comes back as it was: packing agrees with unpacking at every place.
TEST(QuantizeRow, APackedBlockComesBack) {
  std::mt19937 random(8);
  BlockQ8_0 eight{};
  eight.d = float_to_half(0.25f);
  for (auto& q : eight.q) q = static_cast<std::int8_t>(static_cast<int>(random() % 255) - 127);
  eight.q[3] = 127;
  std::vector<float> x(256);
  dequantize_row(DType::kQ8_0, &eight, 32, x.data());
  const std::vector<std::byte> row =
      row_of(DType::kQ8_0, std::vector<float>(x.begin(), x.begin() + 32));
  EXPECT_EQ(std::memcmp(row.data(), &eight, sizeof eight), 0);

  BlockQ4K four{};
  four.d = float_to_half(0.5f);
  four.dmin = float_to_half(0.5f);
  for (int s = 0; s < 4; ++s) {  // every scale 63, every min 32..63
    four.scales[s] = static_cast<std::uint8_t>(63 | 3 << 6);
    four.scales[s + 4] = static_cast<std::uint8_t>((63 - s) | 3 << 6);
    four.scales[s + 8] = static_cast<std::uint8_t>(15 | (12 + s) << 4);
  }
  for (auto& q : four.q) q = static_cast<std::uint8_t>(random());
  dequantize_row(DType::kQ4K, &four, 256, x.data());
  EXPECT_LT(relative_loss(DType::kQ4K, x), 1e-3);

  BlockQ6K six{};
  six.d = float_to_half(0.5f);
  for (int s = 0; s < 16; ++s) six.scales[s] = static_cast<std::int8_t>(-128 + 9 * s);
  for (auto& low : six.low) low = static_cast<std::uint8_t>(random());
  for (auto& high : six.high) high = static_cast<std::uint8_t>(random());
  dequantize_row(DType::kQ6K, &six, 256, x.data());
  EXPECT_LT(relative_loss(DType::kQ6K, x), 1e-3);
}

}  // namespace
}  // namespace assay
