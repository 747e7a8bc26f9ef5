#include "engine/quantize/block_fit.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace assay {
namespace {

std::vector<float> drawn(std::size_t count, unsigned seed, float mean = 0) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(mean, 1);
  std::vector<float> x(count);
  for (float& value : x) value = normal(random);
  return x;
}

std::vector<float> ones(std::size_t count) {
  return std::vector<float>(count, 1.0f);
}

TEST(BlockFit, CodesWithinTheRange) {
  EXPECT_EQ(nearest_code(2.5f, -3, 3), 2);  // ties to even
  EXPECT_EQ(nearest_code(-1e30f, -3, 3), -3);
  EXPECT_EQ(nearest_code(1e30f, -3, 3), 3);
}

TEST(BlockFit, FindsAScaleThatFitsExactly) {
  std::vector<float> x;
  for (int code = -32; code < 32; ++code) x.push_back(0.25f * static_cast<float>(code));
  const ScaleFit fit = fit_scale(x, ones(x.size()), -32, 31);
  EXPECT_NEAR(fit.scale, 0.25f, 1e-6f);
  EXPECT_NEAR(fit.error, 0, 1e-9);
}

TEST(BlockFit, FindsAScaleAndAnOffsetThatFitExactly) {
  std::vector<float> x;
  for (int code = 0; code < 16; ++code) x.push_back(0.5f * static_cast<float>(code) - 3.0f);
  const AffineFit fit = fit_affine(x, ones(x.size()), 15);
  EXPECT_NEAR(fit.scale, 0.5f, 1e-6f);
  EXPECT_NEAR(fit.offset, 3.0f, 1e-5f);
  EXPECT_NEAR(fit.error, 0, 1e-9);
}

TEST(BlockFit, AnOffsetIsNeverNegative) {
  const std::vector<float> x = drawn(32, 3, 10);  // all far above zero
  const AffineFit fit = fit_affine(x, ones(x.size()), 15);
  EXPECT_EQ(fit.offset, 0);
  EXPECT_GT(fit.scale, 0.5f);
}

TEST(BlockFit, ZerosHaveNoScale) {
  const std::vector<float> x(32);
  EXPECT_EQ(fit_scale(x, ones(32), -32, 31).scale, 0);
  EXPECT_EQ(fit_affine(x, ones(32), 15).scale, 0);
}

TEST(BlockFit, ReportsTheErrorThatItsScaleLeaves) {
  const std::vector<float> x = drawn(32, 4);
  const AffineFit fit = fit_affine(x, ones(32), 15);
  double error = 0;
  for (const float value : x) {
    const int code = nearest_code((value + fit.offset) / fit.scale, 0, 15);
    const double off = value - (static_cast<double>(fit.scale) * code - fit.offset);
    error += off * off;
  }
  EXPECT_LE(error, fit.error * 1.0001);  // its codes may be one round older than the nearest ones
  EXPECT_GE(error, fit.error * 0.9);
}

// The search against the scale that the range gives, over many blocks of normal weights.
TEST(BlockFit, BeatsTheRangeOfTheValues) {
  double sought = 0, range = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const std::vector<float> x = drawn(32, seed);
    const float least = *std::min_element(x.begin(), x.end());
    const float scale = (*std::max_element(x.begin(), x.end()) - least) / 15;
    sought += fit_affine(x, ones(32), 15).error;
    for (const float value : x) {
      const double off = value - (scale * std::nearbyint((value - least) / scale) + least);
      range += off * off;
    }
  }
  EXPECT_LT(sought, 0.85 * range);
}

// A value that counts a thousand times as much is met more closely.
TEST(BlockFit, ImportantValuesAreMetMoreClosely) {
  const std::vector<float> x = drawn(16, 9);
  std::vector<float> importance = ones(16);
  importance[5] = 1000;
  const auto off = [&](const ScaleFit& fit) {
    return std::abs(x[5] - fit.scale * static_cast<float>(nearest_code(x[5] / fit.scale, -4, 3)));
  };
  EXPECT_LT(off(fit_scale(x, importance, -4, 3)), 0.2f * off(fit_scale(x, ones(16), -4, 3)));
}

}  // namespace
}  // namespace assay
