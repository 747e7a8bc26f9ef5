// dequantize_row against formulas written again from the formats' description: bits picked one by
// one from the row's bytes, with every code at every position, and every 6-bit scale and min.
#include "kernels/blocks.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace assay {
namespace {

std::uint16_t half_at(const std::uint8_t* bytes) {
  return static_cast<std::uint16_t>(bytes[0] | bytes[1] << 8);
}

// q4_K: bytes 0-1 d, 2-3 dmin, 4-15 scales, 16-143 codes. Sub-blocks 0..3 keep scale in bits 0..5
// of byte s and min in bits 0..5 of byte s + 4; sub-blocks 4..7 keep low nibbles in byte s + 4 and
// take two high bits from the tops of bytes s - 4 and s.
double q4k_by_bits(const std::uint8_t* row, int i) {
  const std::uint8_t* scales = row + 4;
  const int s = i >> 5;
  int scale = scales[s] % 64;
  int min = scales[s + 4] % 64;
  if (s >= 4) {
    scale = scales[s + 4] % 16 + 16 * (scales[s - 4] / 64);
    min = scales[s + 4] / 16 + 16 * (scales[s] / 64);
  }
  const int byte = row[16 + 32 * (s / 2) + i % 32];
  const int code = s % 2 == 0 ? byte % 16 : byte / 16;
  const double product = static_cast<double>(half_to_float(half_at(row))) * scale * code;
  return product - static_cast<double>(half_to_float(half_at(row + 2))) * min;
}

// q6_K: bytes 0-127 low nibbles, 128-191 high pairs, 192-207 scales, 208-209 d.
double q6k_by_bits(const std::uint8_t* row, int i) {
  const int n = i / 128 * 64;  // first low byte of the half
  const int in_half = i % 128;
  const int low = in_half < 64 ? row[n + in_half] % 16 : row[n + in_half - 64] / 16;
  const int pair = row[128 + n / 2 + i % 32] / (1 << (2 * (in_half / 32))) % 4;
  const auto scale = static_cast<std::int8_t>(row[192 + i / 16]);
  return static_cast<double>(half_to_float(half_at(row + 208))) * scale * (low + 16 * pair - 32);
}

void set_q4k_code(std::uint8_t* row, int i, int code) {
  std::uint8_t& byte = row[16 + 32 * (i / 64) + i % 32];
  byte = static_cast<std::uint8_t>(i % 64 < 32 ? (byte & 0xf0) | code : (byte & 0x0f) | code << 4);
}

void set_q6k_code(std::uint8_t* row, int i, int code) {
  std::uint8_t& low = row[i / 128 * 64 + i % 64];
  std::uint8_t& high = row[128 + i / 128 * 32 + i % 32];
  const int four = code % 16;
  low = static_cast<std::uint8_t>(i % 128 < 64 ? (low & 0xf0) | four : (low & 0x0f) | four << 4);
  const int shift = 2 * (i % 128 / 32);
  high = static_cast<std::uint8_t>((high & ~(3 << shift)) | (code / 16) << shift);
}

std::vector<std::uint8_t> noise(std::size_t size) {
  std::vector<std::uint8_t> bytes(size);
  std::uint32_t state = 12345;
  for (std::uint8_t& byte : bytes) {
    state = state * 1664525u + 1013904223u;
    byte = static_cast<std::uint8_t>(state >> 24);
  }
  return bytes;
}

TEST(DequantizeRow, Q4KEveryCodeAtEveryPosition) {
  std::vector<std::uint8_t> row = noise(144);
  const std::uint16_t d = float_to_half(0.0123f);
  const std::uint16_t dmin = float_to_half(-0.0456f);
  std::memcpy(row.data(), &d, 2);
  std::memcpy(row.data() + 2, &dmin, 2);
  std::vector<float> out(256);
  for (int i = 0; i < 256; ++i) {
    for (int code = 0; code < 16; ++code) {
      set_q4k_code(row.data(), i, code);
      dequantize_row(DType::kQ4K, row.data(), 256, out.data());
      ASSERT_EQ(out[static_cast<std::size_t>(i)], static_cast<float>(q4k_by_bits(row.data(), i)))
          << "position " << i << " code " << code;
    }
  }
  for (int i = 0; i < 256; ++i) {
    EXPECT_EQ(out[static_cast<std::size_t>(i)], static_cast<float>(q4k_by_bits(row.data(), i)));
  }
}

TEST(DequantizeRow, Q4KEveryScaleByte) {
  std::vector<std::uint8_t> row = noise(144);
  const std::uint16_t one = float_to_half(1.0f);
  const std::uint16_t big = float_to_half(1024.0f);
  std::memcpy(row.data(), &one, 2);
  std::memcpy(row.data() + 2, &big, 2);
  std::vector<float> out(256);
  for (int at = 4; at < 16; ++at) {
    for (int value = 0; value < 256; ++value) {
      row[static_cast<std::size_t>(at)] = static_cast<std::uint8_t>(value);
      dequantize_row(DType::kQ4K, row.data(), 256, out.data());
      for (int i = 0; i < 256; i += 17) {
        ASSERT_EQ(out[static_cast<std::size_t>(i)], static_cast<float>(q4k_by_bits(row.data(), i)))
            << "scale byte " << at << " is " << value;
      }
    }
  }
}

TEST(DequantizeRow, Q6KEveryCodeAtEveryPosition) {
  std::vector<std::uint8_t> row = noise(210);
  const std::uint16_t d = float_to_half(0.00789f);
  std::memcpy(row.data() + 208, &d, 2);
  std::vector<float> out(256);
  for (int i = 0; i < 256; ++i) {
    for (int code = 0; code < 64; ++code) {
      set_q6k_code(row.data(), i, code);
      dequantize_row(DType::kQ6K, row.data(), 256, out.data());
      ASSERT_EQ(out[static_cast<std::size_t>(i)], static_cast<float>(q6k_by_bits(row.data(), i)))
          << "position " << i << " code " << code;
    }
  }
  for (int i = 0; i < 256; ++i) {
    EXPECT_EQ(out[static_cast<std::size_t>(i)], static_cast<float>(q6k_by_bits(row.data(), i)));
  }
}

TEST(DequantizeRow, SecondBlockFollowsTheFirst) {
  std::vector<std::uint8_t> row = noise(2 * 210);
  const std::uint16_t d = float_to_half(0.5f);
  std::memcpy(row.data() + 208, &d, 2);
  std::memcpy(row.data() + 418, &d, 2);
  std::vector<float> out(512);
  dequantize_row(DType::kQ6K, row.data(), 512, out.data());
  for (int i = 0; i < 256; ++i) {
    EXPECT_EQ(out[static_cast<std::size_t>(256 + i)], q6k_by_bits(row.data() + 210, i));
  }
}

TEST(DequantizeRow, Q8_0AndFloats) {
  std::vector<std::uint8_t> row = noise(34);
  const std::uint16_t d = float_to_half(0.25f);
  std::memcpy(row.data(), &d, 2);
  row[2] = 0x80;
  row[3] = 0x7f;
  std::vector<float> out(32);
  dequantize_row(DType::kQ8_0, row.data(), 32, out.data());
  EXPECT_EQ(out[0], -32.0f);
  EXPECT_EQ(out[1], 31.75f);
  EXPECT_EQ(out[31], 0.25f * static_cast<std::int8_t>(row[33]));

  const std::uint16_t halves[2] = {float_to_half(1.5f), 0x0001};
  dequantize_row(DType::kF16, halves, 2, out.data());
  EXPECT_EQ(out[0], 1.5f);
  EXPECT_EQ(out[1], 0x1p-24f);
  const float floats[2] = {-3.25f, 0x1p-149f};
  dequantize_row(DType::kF32, floats, 2, out.data());
  EXPECT_EQ(out[0], -3.25f);
  EXPECT_EQ(out[1], 0x1p-149f);
}

}  // namespace
}  // namespace assay
