// Every half, rounding at every boundary between halves, and agreement with the compiler's own
// conversion (F16C or libgcc, neither of which shares code with ours).
#include "engine/core/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace assay {
namespace {

constexpr std::uint16_t kInfinity = 0x7c00;
constexpr std::uint16_t kLargest = 0x7bff;

std::uint16_t compilers_half(float f) {
  return std::bit_cast<std::uint16_t>(static_cast<_Float16>(f));
}

TEST(Half, EveryValueComesBack) {
  for (std::uint32_t h = 0; h < 0x10000; ++h) {
    const auto half = static_cast<std::uint16_t>(h);
    const float f = half_to_float(half);
    if ((h & 0x7fff) > kInfinity) {
      EXPECT_TRUE(std::isnan(f)) << h;
      EXPECT_GT(float_to_half(f) & 0x7fff, kInfinity) << h;
    } else {
      EXPECT_EQ(float_to_half(f), half) << h;
    }
  }
}

TEST(Half, EveryValueIsTheCompilers) {
  for (std::uint32_t h = 0; h < 0x10000; ++h) {
    if ((h & 0x7fff) > kInfinity) continue;
    const auto half = static_cast<std::uint16_t>(h);
    const auto expected = static_cast<float>(std::bit_cast<_Float16>(half));
    EXPECT_EQ(std::bit_cast<std::uint32_t>(half_to_float(half)),
              std::bit_cast<std::uint32_t>(expected))
        << h;
  }
}

TEST(Half, KnownValues) {
  EXPECT_EQ(half_to_float(0x3c00), 1.0f);
  EXPECT_EQ(half_to_float(0xc000), -2.0f);
  EXPECT_EQ(half_to_float(0x0001), 0x1p-24f);
  EXPECT_EQ(half_to_float(0x0400), 0x1p-14f);
  EXPECT_EQ(half_to_float(kLargest), 65504.0f);
  EXPECT_EQ(half_to_float(kInfinity), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::signbit(half_to_float(0x8000)));
  EXPECT_EQ(float_to_half(0.1f), 0x2e66);
}

// Between two neighbouring halves: the middle goes to the even one, a float beside it to the near.
TEST(Half, RoundsToNearestEvenAtEveryBoundary) {
  for (std::uint16_t low = 0; low < kLargest; ++low) {
    const auto high = static_cast<std::uint16_t>(low + 1);
    const float middle = (half_to_float(low) + half_to_float(high)) / 2;  // exact in binary32
    const float below = std::nextafterf(middle, 0.0f);
    const float above = std::nextafterf(middle, 1e9f);
    EXPECT_EQ(float_to_half(middle), low % 2 == 0 ? low : high);
    EXPECT_EQ(float_to_half(below), low);
    EXPECT_EQ(float_to_half(above), high);
    EXPECT_EQ(float_to_half(-middle), (low % 2 == 0 ? low : high) | 0x8000);
    EXPECT_EQ(float_to_half(-below), low | 0x8000);
    EXPECT_EQ(float_to_half(-above), high | 0x8000);
  }
}

TEST(Half, OverflowsHalfAStepBeyondTheLargest) {
  EXPECT_EQ(float_to_half(65504.0f), kLargest);
  EXPECT_EQ(float_to_half(std::nextafterf(65520.0f, 0.0f)), kLargest);
  EXPECT_EQ(float_to_half(65520.0f), kInfinity);
  EXPECT_EQ(float_to_half(-65520.0f), kInfinity | 0x8000);
  EXPECT_EQ(float_to_half(std::numeric_limits<float>::max()), kInfinity);
  EXPECT_EQ(float_to_half(std::numeric_limits<float>::infinity()), kInfinity);
}

TEST(Half, RandomFloatsAreTheCompilers) {
  std::mt19937 random(1);
  for (int i = 0; i < 1'000'000; ++i) {
    // Half of them any bits, half in the range of halves, where roundings are.
    std::uint32_t bits = random();
    if (i % 2 == 0) bits = (bits & 0x80ffffffu) + 0x32000000u + random() % 0x17u * 0x00800000u;
    const auto f = std::bit_cast<float>(bits);
    if (std::isnan(f)) continue;
    ASSERT_EQ(float_to_half(f), compilers_half(f)) << std::hexfloat << f;
  }
}

TEST(Bfloat, EveryValueComesBackAndTiesGoToEven) {
  for (std::uint32_t b = 0; b < 0x10000; ++b) {
    const float f = bfloat_to_float(static_cast<std::uint16_t>(b));
    if (std::isnan(f)) {
      EXPECT_TRUE(std::isnan(bfloat_to_float(float_to_bfloat(f)))) << b;
    } else {
      EXPECT_EQ(float_to_bfloat(f), b);
    }
  }
  EXPECT_EQ(float_to_bfloat(std::bit_cast<float>(0x3f808000u)), 0x3f80);
  EXPECT_EQ(float_to_bfloat(std::bit_cast<float>(0x3f818000u)), 0x3f82);
  EXPECT_EQ(float_to_bfloat(std::bit_cast<float>(0x3f808001u)), 0x3f81);
  EXPECT_EQ(float_to_bfloat(std::numeric_limits<float>::max()), 0x7f80);
  EXPECT_TRUE(std::isnan(bfloat_to_float(float_to_bfloat(std::bit_cast<float>(0x7f800001u)))));
}

}  // namespace
}  // namespace assay
