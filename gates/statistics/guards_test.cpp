#include "gates/statistics/guards.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/core/error.h"
#include "gates/statistics/look.h"
#include "gates/statistics/student_t.h"

namespace assay {
namespace {

// A guard's row whose mean lies `errors` standard errors from ln(1 - margin); df 7.
LookRow row_at(double errors, double margin) {
  LookRow row;
  row.error = 0.002;
  row.df = 7;
  row.mean = std::log1p(-margin) + errors * row.error;
  return row;
}

std::vector<GuardSays> read(const std::vector<double>& errors, double margin) {
  std::vector<LookRow> rows;
  for (const double at : errors) rows.push_back(row_at(at, margin));
  return read_guards(rows, margin);
}

TEST(ReadGuards, PassesWhenTheLowerBoundExceedsTheMargin) {
  const double bound = t_upper_quantile(0.05, 7);  // 1.895
  EXPECT_EQ(read({bound + 0.001}, 0.01)[0], GuardSays::kPasses);
  EXPECT_EQ(read({bound - 0.001}, 0.01)[0], GuardSays::kNotShown);
  EXPECT_EQ(read({0}, 0.01)[0], GuardSays::kNotShown);
}

TEST(ReadGuards, TheLowerBoundOfTheRowSaysTheSame) {
  for (const double mean : {-0.012, -0.0061, -0.0059, 0.0, 0.01}) {
    const std::vector<double> values = {mean - 0.002, mean + 0.002, mean - 0.004, mean + 0.004,
                                        mean,         mean + 0.006, mean - 0.006, mean};
    const LookRow row = measure_row("guard:0", values, {}, 0, kGuardAlpha);
    const bool passes = read_guards(std::vector<LookRow>{row}, 0.01)[0] == GuardSays::kPasses;
    EXPECT_EQ(passes, row.lower > -0.01) << mean;
  }
}

TEST(ReadGuards, PassingNeedsNoCorrectionButConvictingDoes) {
  const double five = t_upper_quantile(0.05, 7) + 0.001;
  EXPECT_EQ(read({five, five, five}, 0.01), std::vector<GuardSays>(3, GuardSays::kPasses));
  EXPECT_EQ(read({-five}, 0.01)[0], GuardSays::kLoses);
  EXPECT_EQ(read({-five, 0, 0}, 0.01)[0], GuardSays::kNotShown);
  // Holm: the first at 5 % / 3, then the next at 5 % / 2, and the last at 5 %.
  const double third = t_upper_quantile(0.05 / 3, 7) + 0.001;
  const double half = t_upper_quantile(0.05 / 2, 7) + 0.001;
  EXPECT_EQ(read({-half, -third, -five}, 0.01), std::vector<GuardSays>(3, GuardSays::kLoses));
  EXPECT_EQ(read({-half, -half, -five}, 0.01), std::vector<GuardSays>(3, GuardSays::kNotShown));
  EXPECT_EQ(read({-half, -third, 0}, 0.01)[0], GuardSays::kLoses);
}

TEST(ReadGuards, NoneIsNone) {
  EXPECT_TRUE(read({}, 0.01).empty());
}

TEST(ChainLosses, AddUpPerWorkloadAndGainsDoNotPayForThem) {
  const std::vector<GuardEffect> landed = {{"one", "prefill", -0.004},
                                           {"one", "decode", 0.02},
                                           {"two", "prefill", 0.05},
                                           {"two", "decode", -0.001},
                                           {"three", "prefill", -0.005}};
  const auto rows = chain_losses(landed);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].workload, "decode");
  EXPECT_NEAR(rows[0].loss, -0.001, 1e-12);
  EXPECT_FALSE(rows[0].blocks);
  EXPECT_EQ(rows[1].records, 3);
  EXPECT_NEAR(rows[1].loss, 0.996 * 0.995 - 1, 1e-12);
  EXPECT_FALSE(rows[1].blocks);
}

TEST(ChainLosses, BlockBelowOnePercent) {
  std::vector<GuardEffect> landed = {{"one", "prefill", -0.006}, {"two", "prefill", -0.004}};
  EXPECT_FALSE(chain_losses(landed)[0].blocks);  // -0.9976 %
  landed.push_back({"three", "prefill", -0.0001});
  EXPECT_TRUE(chain_losses(landed)[0].blocks);
  EXPECT_TRUE(chain_losses({}).empty());
}

TEST(ChainLosses, RefusesAnEffectThatCannotBe) {
  const std::vector<GuardEffect> landed = {{"one", "prefill", -1}};
  try {
    chain_losses(landed);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "guard prefill of one: an effect of -1 cannot be");
  }
}

}  // namespace
}  // namespace assay
