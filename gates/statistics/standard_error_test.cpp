#include "gates/statistics/standard_error.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/core/error.h"

namespace assay {
namespace {

const std::vector<double> kValues = {0.01, 0.03, 0.02, 0.04};

TEST(EstimateMean, WithoutHistoryUsesTheSpreadOfThePairs) {
  const MeanEstimate estimate = estimate_mean(kValues, {});
  EXPECT_EQ(estimate.pairs, 4);
  EXPECT_NEAR(estimate.mean, 0.025, 1e-15);
  EXPECT_NEAR(estimate.pair_sd, std::sqrt(0.0005 / 3), 1e-15);
  EXPECT_DOUBLE_EQ(estimate.error, estimate.pair_sd / 2);
  EXPECT_EQ(estimate.df, 3);
  EXPECT_EQ(estimate.aa_runs, 0);
}

TEST(EstimateMean, TakesTheLargerErrorWithItsOwnDegreesOfFreedom) {
  const std::vector<AaRun> quiet = {{"a", {0.0001, -0.0001}}, {"b", {0.0002, 0.0}}};
  EXPECT_EQ(estimate_mean(kValues, quiet).df, 3);
  const std::vector<AaRun> loud = {{"a", {0.03, 0.03}}, {"b", {-0.04, -0.04}}};
  const MeanEstimate estimate = estimate_mean(kValues, loud);
  EXPECT_EQ(estimate.df, 2);
  EXPECT_NEAR(estimate.error, std::sqrt((0.0009 + 0.0016) / 2), 1e-15);
  EXPECT_LT(estimate.own_error, estimate.error);
}

TEST(AaRms, UsesAPrefixOfEachRunOrAllOfAShorterOne) {
  const std::vector<AaRun> history = {{"long", {0.01, 0.03, 0.5, 0.5}}, {"short", {-0.04}}};
  EXPECT_NEAR(aa_rms(history, 2), std::sqrt((0.0004 + 0.0016) / 2), 1e-15);
  EXPECT_NEAR(aa_rms(history, 1), std::sqrt((0.0001 + 0.0016) / 2), 1e-15);
  EXPECT_EQ(aa_rms({}, 4), 0);
}

TEST(EstimateMean, OnePairHasNoSpread) {
  const std::vector<double> one = {0.1};
  EXPECT_THROW(estimate_mean(one, {}), Error);
}

}  // namespace
}  // namespace assay
