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

std::vector<Relabelled> three_arms(int pairs, double gain) {
  std::vector<Relabelled> rows;
  for (int i = 0; i < pairs; ++i) {
    rows.push_back(
        relabelled(std::sin(1.0 + 5 * i), std::sin(2.0 + 7 * i) - gain, std::sin(3.0 + 11 * i)));
  }
  return rows;
}

TEST(Relabelling, AgreesWithEnumeration) {
  for (const double gain : {0.0, 0.4, 1.0}) {
    const auto rows = three_arms(7, gain);
    double observed = 0;
    for (const Relabelled& row : rows) observed += row[0];
    int reaching = 0;
    for (int code = 0; code < 2187; ++code) {
      double sum = 0;
      int digits = code;
      for (const Relabelled& row : rows) {
        sum += row[static_cast<std::size_t>(digits % 3)];
        digits /= 3;
      }
      if (sum >= observed - 1e-12) ++reaching;
    }
    EXPECT_DOUBLE_EQ(relabelling_p(rows), reaching / 2187.0) << gain;
  }
}

TEST(Relabelling, ChoicesOfAPairSumToZero) {
  const Relabelled row = relabelled(1, 0.25, 4);
  EXPECT_EQ(row[0], 2.25);
  EXPECT_NEAR(row[0] + row[1] + row[2], 0, 1e-15);
}

TEST(Relabelling, LeastPIsOneInThreeToTheN) {
  std::vector<Relabelled> rows;
  for (int i = 0; i < 8; ++i) rows.push_back(relabelled(2.0 + 0.1 * i, 1, 2.3));
  EXPECT_DOUBLE_EQ(relabelling_p(rows), 1.0 / 6561);
}

TEST(Relabelling, AboveTwentyFourPairsRoundsAndStaysClose) {
  auto rows = three_arms(24, 0.5);
  const double counted = relabelling_p(rows);
  EXPECT_LT(counted, 0.1);
  EXPECT_GT(counted, 1e-5);
  rows.push_back({0, 0, 0});  // changes no sum, triples the choices
  EXPECT_NEAR(relabelling_p(rows) / counted, 1, 0.01);
}

TEST(Relabelling, ASingleSlowProcessIsNoEvidenceWhereSignsWouldSeeOne) {
  // In each pair one process is slow, B never: D is 1/2 each time. Signs give 2^-8, but B is spared
  // by chance in (2/3)^8 of relabellings.
  std::vector<Relabelled> rows;
  std::vector<double> values;
  for (int i = 0; i < 8; ++i) {
    rows.push_back(i % 2 == 0 ? relabelled(1, 0, 0) : relabelled(0, 0, 1));
    values.push_back(rows.back()[0]);
  }
  EXPECT_EQ(sign_flip_p(values), 1.0 / 256);
  EXPECT_DOUBLE_EQ(relabelling_p(rows), std::pow(2.0 / 3, 8));
}

TEST(Relabelling, NothingButEqualProcessesShowsNothing) {
  EXPECT_EQ(relabelling_p(std::vector<Relabelled>(8, Relabelled{0, 0, 0})), 1);
}

TEST(ExactTests, LargeNegativeSumIsNoEvidence) {
  const std::vector<double> values = {-1, -2, -3, -4, -5, -6};
  EXPECT_EQ(sign_flip_p(values), 1);
  EXPECT_EQ(signed_rank_p(values), 1);
}

}  // namespace
}  // namespace assay
