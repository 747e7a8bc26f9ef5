#include "gates/statistics/guards.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/core/error.h"
#include "engine/core/mix_stream.h"
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

TEST(ChainLosses, GainsCountUpToWhatNoiseGives) {
  const std::vector<GuardEffect> landed = {{"one", "decode", 0.02, 0.001},
                                           {"two", "decode", -0.012, 0.001}};
  const ChainLoss chain = chain_losses(landed)[0];
  EXPECT_NEAR(std::log1p(chain.loss), std::log1p(-0.012) + 1.6449e-3, 1e-6);
  EXPECT_NEAR(std::log1p(chain.upper), std::log1p(chain.loss) + 1.6449e-3 * std::sqrt(2), 1e-6);
  EXPECT_TRUE(chain.blocks);
}

TEST(ChainLosses, BlockOnlyWhatIsShownToLose) {
  EXPECT_FALSE(chain_losses(std::vector<GuardEffect>{{"one", "decode", -0.015, 0.01}})[0].blocks);
  EXPECT_TRUE(chain_losses(std::vector<GuardEffect>{{"one", "decode", -0.018, 0.01}})[0].blocks);
}

// Chains of up to twenty records, each refused where the chain would block.
struct Chains {
  double refused = 0;  // share of the records that were offered
  double ended = 0;    // share of chains with a refusal among the first `early` records
};

Chains play_chains(double truth, double error, int early) {
  constexpr int kChains = 2000, kRecords = 20;
  MixStream stream(0x5eedc4a1);
  const auto normal = [&] {
    return std::sqrt(-2 * std::log(1 - stream.uniform())) *
           std::cos(6.283185307179586 * stream.uniform());
  };
  Chains result;
  for (int i = 0; i < kChains; ++i) {
    std::vector<GuardEffect> landed;
    bool ended = false;
    for (int record = 0; record < kRecords; ++record) {
      landed.push_back({"", "decode", std::expm1(truth + error * normal()), error});
      if (landed.back().effect >= 0 || !chain_losses(landed)[0].blocks) continue;
      landed.pop_back();
      result.refused += 1.0 / (kChains * kRecords);
      ended = ended || record < early;
    }
    result.ended += ended ? 1.0 / kChains : 0;
  }
  return result;
}

TEST(ChainLosses, NoiseAloneBlocksRarelyAndLossesAreSeen) {
  for (const double error : {0.001, 0.002, 0.004, 0.01}) {
    EXPECT_LT(play_chains(0, error, 20).refused, 0.025) << error;
  }
  EXPECT_GT(play_chains(-0.003, 0.002, 4).ended, 0.5);
  EXPECT_GT(play_chains(-0.005, 0.002, 3).ended, 0.8);
  EXPECT_GT(play_chains(-0.02, 0.002, 1).ended, 0.99);
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
