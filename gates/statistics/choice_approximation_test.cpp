#include "gates/statistics/choice_approximation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "gates/statistics/exact_tests.h"
#include "gates/statistics/simulated_pairs.h"

namespace assay {
namespace {

TEST(ApproximateChoiceTail, IsCloseToTheSignFlipTest) {
  PairSimulator simulator(1);
  for (const int n : {13, 16, 24, 40}) {
    for (const double gain : {0.3, 0.6, 0.9}) {
      std::vector<double> values;
      std::vector<double> choices;
      for (int i = 0; i < n; ++i) {
        values.push_back(simulator.normal() + gain);
        choices.insert(choices.end(), {values.back(), -values.back()});
      }
      const double exact = sign_flip_p(values);
      if (exact > 0.4 || exact < 1e-4) continue;
      EXPECT_NEAR(approximate_choice_tail(choices, 2) / exact, 1, 0.08) << n << " " << exact;
    }
  }
}

TEST(ApproximateChoiceTail, IsCloseToTheRelabellingTest) {
  PairSimulator simulator(2);
  for (const int n : {13, 16, 30}) {
    for (const double gain : {0.3, 0.6, 0.9}) {
      std::vector<Relabelled> rows;
      std::vector<double> choices;
      for (int i = 0; i < n; ++i) {
        rows.push_back(
            relabelled(simulator.normal(), simulator.normal() - gain, simulator.normal()));
        choices.insert(choices.end(), rows.back().begin(), rows.back().end());
      }
      const double exact = relabelling_p(rows);
      if (exact > 0.4 || exact < 1e-4) continue;
      EXPECT_NEAR(approximate_choice_tail(choices, 3) / exact, 1, 0.08) << n << " " << exact;
    }
  }
}

TEST(ApproximateChoiceTail, EndsAtTheOneChoiceThatIsLeft) {
  const std::vector<double> choices = {1, -1, 2, -2, 3, -3, 4, -4};
  EXPECT_NEAR(approximate_choice_tail(choices, 2) * 16, 1, 0.5);
  const std::vector<double> losing = {-1, 1, -2, 2, 1, -1};
  EXPECT_EQ(approximate_choice_tail(losing, 2), 1);
  const std::vector<double> nothing(8, 0.0);
  EXPECT_EQ(approximate_choice_tail(nothing, 2), 1);
}

TEST(RareSignedRank, IsTheCriticalValueOfTheTables) {
  EXPECT_EQ(rare_signed_rank(10, 0.025), 47);  // W- of 8 or less
  EXPECT_EQ(rare_signed_rank(8, 1.0 / 256), 36);
  EXPECT_EQ(rare_signed_rank(8, 0.003), 37);  // rarer than all positive: never
}

}  // namespace
}  // namespace assay
