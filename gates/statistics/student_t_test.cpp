#include "gates/statistics/student_t.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(StudentT, TailsMatchTheTables) {
  EXPECT_NEAR(t_upper_tail(2.570582, 5), 0.025, 1e-7);
  EXPECT_NEAR(t_upper_tail(1.812461, 10), 0.05, 1e-7);
  EXPECT_NEAR(t_upper_tail(4.143700, 10), 0.001, 1e-8);
  EXPECT_DOUBLE_EQ(t_upper_tail(0, 7), 0.5);
  EXPECT_NEAR(t_upper_tail(-2.570582, 5), 0.975, 1e-7);
  EXPECT_NEAR(t_upper_tail(1, 1), 0.25, 1e-12);  // Cauchy: 1/2 - atan(1)/pi
}

TEST(StudentT, QuantilesInvertTails) {
  for (const double p : {0.00041, 0.0038, 0.0113, 0.05, 0.3}) {
    for (const double df : {1.0, 5.0, 6.0, 15.0, 95.0}) {
      EXPECT_NEAR(t_upper_tail(t_upper_quantile(p, df), df) / p, 1, 1e-9) << p << " " << df;
    }
  }
}

TEST(StudentT, NoSpreadDecidesBySignOnly) {
  EXPECT_EQ(t_upper_tail(t_ratio(0.01, 0), 5), 0);
  EXPECT_EQ(t_upper_tail(t_ratio(-0.01, 0), 5), 1);
  EXPECT_EQ(t_upper_tail(t_ratio(0, 0), 5), 0.5);
  EXPECT_EQ(t_ratio(3, 2), 1.5);
}

}  // namespace
}  // namespace assay
