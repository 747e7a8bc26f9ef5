#include "engine/replay/agreement.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace assay::replay {
namespace {

TEST(TwoBest, FindsThemInAnyPlaceAndTakesTheLowestOfEquals) {
  const TwoBest best = two_best(std::vector<float>{1, 5, 2, 4.5f});
  EXPECT_EQ(best.first, 1);
  EXPECT_EQ(best.second, 3);
  EXPECT_EQ(best.margin, 0.5f);
  const TwoBest equal = two_best(std::vector<float>{3, 1, 3});
  EXPECT_EQ(equal.first, 0);
  EXPECT_EQ(equal.second, 2);
  EXPECT_EQ(equal.margin, 0);
}

TEST(KlDivergence, IsThatOfTwoKnownDistributions) {
  const std::vector<float> p{std::log(0.5f), std::log(0.25f), std::log(0.25f)};
  const std::vector<float> q{std::log(0.25f) + 7, std::log(0.5f) + 7, std::log(0.25f) + 7};
  EXPECT_NEAR(kl_divergence(p, q), 0.25 * std::log(2.0), 1e-6);
  EXPECT_EQ(kl_divergence(p, p), 0);
  EXPECT_TRUE(std::isnan(kl_divergence(p, std::vector<float>{0, NAN, 0})));
}

TEST(Agreement, CountsFlipsAndMeasuresTheSignedChangeOfTheBasesMargin) {
  Agreement agreement;
  agreement.add(std::vector<float>{2, 1, 0}, std::vector<float>{2, 1, 0});
  agreement.add(std::vector<float>{2, 1.75f, 0}, std::vector<float>{2, 2.5f, 0});
  agreement.add(std::vector<float>{3, 1, 0}, std::vector<float>{3, 1.5f, 0});
  EXPECT_EQ(agreement.rows, 3);
  EXPECT_EQ(agreement.different, 2);
  EXPECT_EQ(agreement.flips, 1);
  EXPECT_EQ(agreement.widest_flip, 0.5);
  EXPECT_EQ(agreement.drift, 0.75);
  EXPECT_EQ(agreement.largest_difference, 0.75);
  EXPECT_EQ(agreement.nonfinite, 0);
}

TEST(Agreement, ARowThatIsNotFiniteIsCountedAndNoFlip) {
  Agreement agreement;
  agreement.add(std::vector<float>{2, 1}, std::vector<float>{NAN, 1});
  agreement.add(std::vector<float>{NAN, 1}, std::vector<float>{NAN, 1});
  EXPECT_EQ(agreement.rows, 2);
  EXPECT_EQ(agreement.nonfinite, 2);
  EXPECT_EQ(agreement.flips, 0);
  EXPECT_EQ(agreement.kl_sum, 0);
}

}  // namespace
}  // namespace assay::replay
