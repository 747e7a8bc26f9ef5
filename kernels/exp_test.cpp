// The exponential: error against fp64 over millions of points, and the ends of its range.
#include "kernels/exp.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace assay {
namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity();

// |computed - e^x| in units in the last place of the f32 nearest to e^x.
double error_in_ulp(float x) {
  const double exact = std::exp(static_cast<double>(x));
  const auto nearest = static_cast<float>(exact);
  const double ulp = static_cast<double>(std::nextafter(nearest, kInfinite)) - nearest;
  return std::fabs(static_cast<double>(exp_f32(x)) - exact) / ulp;
}

double worst_error(float from, float to, std::uint32_t step) {
  double worst = 0;
  const auto last = std::bit_cast<std::uint32_t>(to);
  for (auto bits = std::bit_cast<std::uint32_t>(from); bits <= last; bits += step) {
    worst = std::max(worst, error_in_ulp(std::bit_cast<float>(bits)));
  }
  return worst;
}

TEST(Exp, ErrorBelowTwoUlpOverTheUsedRange) {
  // Steps over bit patterns: about 2.5 million points a side, dense near 0.
  const double negative = worst_error(-1e-9f, -87.336f, 101);
  const double positive = worst_error(1e-9f, 88.0f, 101);
  std::printf("worst error: %.3f ulp below 0, %.3f ulp above\n", negative, positive);
  EXPECT_LT(negative, 1.5);
  EXPECT_LT(positive, 1.5);
  EXPECT_GT(negative, 0.5);  // the sweep did look at something
}

TEST(Exp, EndsOfTheRange) {
  EXPECT_EQ(exp_f32(0.0f), 1.0f);
  EXPECT_EQ(exp_f32(-0.0f), 1.0f);
  EXPECT_EQ(exp_f32(1e-30f), 1.0f);
  EXPECT_EQ(exp_f32(-kInfinite), 0.0f);
  EXPECT_EQ(exp_f32(-1e30f), 0.0f);
  EXPECT_EQ(exp_f32(-88.0f), 0.0f);
  EXPECT_GT(exp_f32(-87.33f), 0.0f);
  EXPECT_EQ(exp_f32(kInfinite), kInfinite);
  EXPECT_EQ(exp_f32(88.8f), kInfinite);
  EXPECT_LT(exp_f32(88.72283f), kInfinite);
  EXPECT_GT(exp_f32(88.72283f), 3.4e38f);
  EXPECT_TRUE(std::isnan(exp_f32(std::numeric_limits<float>::quiet_NaN())));
}

}  // namespace
}  // namespace assay
