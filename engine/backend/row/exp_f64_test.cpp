#include "engine/backend/row/exp_f64.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace assay {
namespace {

TEST(ExpF64, IsWithinTwoUlpOfTheCLibrary) {
  double worst = 0;
  for (int i = 0; i <= 700'000; ++i) {
    const double x = -0.001 * i;
    const double expected = std::exp(x);
    const double ulp = expected - std::nextafter(expected, 0.0);
    worst = std::max(worst, std::abs(exp_f64(x) - expected) / ulp);
  }
  EXPECT_LE(worst, 2);
}

// These bits are the contract: any machine must give them.
TEST(ExpF64, GivesTheseBits) {
  EXPECT_EQ(exp_f64(0), 1);
  EXPECT_EQ(exp_f64(-1), 0x1.78b56362cef38p-2);
  EXPECT_EQ(exp_f64(-0.1), 0x1.cf46d99d52b3ap-1);
  EXPECT_EQ(exp_f64(-20), 0x1.1b48655f37267p-29);
}

TEST(ExpF64, FarBelowIsNothing) {
  EXPECT_EQ(exp_f64(-701), 0);
  EXPECT_EQ(exp_f64(-std::numeric_limits<double>::infinity()), 0);
  EXPECT_EQ(exp_f64(std::numeric_limits<double>::quiet_NaN()), 0);
  EXPECT_GT(exp_f64(-699), 0);
}

}  // namespace
}  // namespace assay
