#include "gates/statistics/exact_tests.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace assay {
namespace {

// By the definition: every sign choice, one by one.
double flipped_by_enumeration(const std::vector<double>& values) {
  double observed = 0;
  for (const double value : values) observed += value;
  int reaching = 0;
  const int choices = 1 << values.size();
  for (int bits = 0; bits < choices; ++bits) {
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      sum += (bits >> i & 1) != 0 ? std::abs(values[i]) : -std::abs(values[i]);
    }
    if (sum >= observed - 1e-12) ++reaching;
  }
  return static_cast<double>(reaching) / choices;
}

TEST(SignFlip, AgreesWithEnumeration) {
  for (const std::vector<double>& values : std::vector<std::vector<double>>{
           {1.5, 2.5, -0.5, 3.0, 0.25}, {1, 1, 1, -1, -1, 1, 1}, {-3, -2, 1}, {0, 0, 2, 1}}) {
    EXPECT_DOUBLE_EQ(sign_flip_p(values), flipped_by_enumeration(values));
  }
}

TEST(SignFlip, LeastPIsOneInTwoToTheN) {
  const std::vector<double> values = {0.3, 0.1, 0.2, 0.25, 0.31, 0.17, 0.09, 0.4};
  EXPECT_EQ(sign_flip_p(values), 1.0 / 256);
  EXPECT_EQ(signed_rank_p(values), 1.0 / 256);
}

TEST(SignFlip, AboveTwentyFourValuesRoundsAndStaysClose) {
  std::vector<double> values;
  for (int i = 0; i < 24; ++i) values.push_back(0.5 * std::sin(1.7 * i) + 0.12);
  const double counted = sign_flip_p(values);
  values.push_back(0);  // changes no sum, doubles the choices
  EXPECT_NEAR(sign_flip_p(values) / counted, 1, 0.01);
}

TEST(SignFlip, NothingButZerosShowsNothing) {
  EXPECT_EQ(sign_flip_p(std::vector<double>(8, 0.0)), 1);
  EXPECT_EQ(signed_rank_p(std::vector<double>(8, 0.0)), 1);
}

TEST(SignedRank, MatchesThePublishedTable) {
  // n = 10, W+ = 47 (W- = 8): one-sided p 25/1024.
  const std::vector<double> values = {1, 2, 3, 4, 5, 6, 7, -8, 9, 10};
  EXPECT_DOUBLE_EQ(signed_rank_p(values), 25.0 / 1024);
  // n = 8, W- = 5: 10/256.
  EXPECT_DOUBLE_EQ(signed_rank_p(std::vector<double>{1, 2, 3, 4, -5, 6, 7, 8}), 10.0 / 256);
}

TEST(SignedRank, EqualMagnitudesShareTheirRank) {
  // |values| all equal: the number of positive signs is binomial.
  EXPECT_DOUBLE_EQ(signed_rank_p(std::vector<double>{1, 1, 1, -1}), 5.0 / 16);
}

TEST(ExactTests, LargeNegativeSumIsNoEvidence) {
  const std::vector<double> values = {-1, -2, -3, -4, -5, -6};
  EXPECT_EQ(sign_flip_p(values), 1);
  EXPECT_EQ(signed_rank_p(values), 1);
}

}  // namespace
}  // namespace assay
