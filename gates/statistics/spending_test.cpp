#include "gates/statistics/spending.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "engine/core/error.h"

namespace assay {
namespace {

const std::vector<double> kQuarters = {0.25, 0.5, 0.75, 1};
const std::vector<double> kOurs = {0.5, 0.75, 1};

double tail(double z) {
  return 0.5 * std::erfc(z / std::sqrt(2.0));
}

// P(the sum of standard normal increments exceeds one and the same bound at any of `looks` equal
// looks): O'Brien and Fleming's own design, on a grid hung up at the bound. Shares nothing with
// what it checks.
double crossing(double bound, int looks) {
  constexpr double kStep = 0.02;
  const std::size_t points = static_cast<std::size_t>((bound + 16) / kStep);
  std::vector<double> bell(points);
  for (std::size_t i = 0; i < points; ++i) {
    const double x = kStep * static_cast<double>(i);
    bell[i] = std::exp(-x * x / 2) / std::sqrt(2 * std::acos(-1.0));
  }
  std::vector<double> density(points);  // at bound - i kStep, of what crossed nowhere
  for (std::size_t i = 0; i < points; ++i) {
    const double x = bound - kStep * static_cast<double>(i);
    density[i] = std::exp(-x * x / 2) / std::sqrt(2 * std::acos(-1.0));
  }
  double crossed = tail(bound);
  for (int look = 1; look < looks; ++look) {
    std::vector<double> next(points, 0.0);
    for (std::size_t i = 0; i < points; ++i) {
      const double weight = (i == 0 ? 0.5 : 1) * kStep;
      crossed += weight * density[i] * tail(kStep * static_cast<double>(i));
      for (std::size_t j = 0; j < points; ++j) {
        next[j] += weight * density[i] * bell[i > j ? i - j : j - i];
      }
    }
    density = std::move(next);
  }
  return crossed;
}

// z of the classical design for equal looks: c sqrt(looks / k).
std::vector<double> classical(double alpha, int looks) {
  double low = 0;
  double high = 5;
  for (int i = 0; i < 30; ++i) {
    const double middle = (low + high) / 2;
    (crossing(middle * std::sqrt(looks), looks) > alpha ? low : high) = middle;
  }
  std::vector<double> z;
  for (int k = 1; k <= looks; ++k) z.push_back(low * std::sqrt(static_cast<double>(looks) / k));
  return z;
}

std::string refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "accepted";
}

TEST(Spending, FourEqualLooksAreAsPublished) {
  const auto looks = boundaries(0.025, kQuarters);
  const double published[] = {4.333, 2.963, 2.359, 2.014};
  ASSERT_EQ(looks.size(), 4u);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(looks[k].z, published[k], 0.0006) << k;
    EXPECT_NEAR(looks[k].p / tail(looks[k].z), 1, 1e-12);
  }
  EXPECT_NEAR(looks.back().spent, 0.025, 1e-12);
}

TEST(Spending, TheClassicalDesignIsAnother) {
  const auto z = classical(0.025, 4);
  const double published[] = {4.049, 2.863, 2.337, 2.024};
  std::vector<double> p;
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(z[k], published[k], 0.0006) << k;
    p.push_back(tail(z[k]));
  }
  EXPECT_NEAR(alpha_spent(kQuarters, p).back(), 0.025, 2e-5);
}

TEST(Spending, OurThreeLooksAreTheKnownOnes) {
  const auto looks = boundaries(0.0125, kOurs);
  EXPECT_NEAR(looks[0].p, 0.00041, 0.000005);
  EXPECT_NEAR(looks[1].p, 0.0038, 0.00005);
  EXPECT_NEAR(looks[2].p, 0.0113, 0.00005);
}

TEST(Spending, OneLookIsASingleTest) {
  const std::vector<double> all = {1};
  const auto looks = boundaries(0.025, all);
  EXPECT_NEAR(looks[0].z, 1.959964, 1e-6);
  EXPECT_NEAR(looks[0].p, 0.025, 1e-9);
}

TEST(Spending, AnySpacingSpendsWhatItSays) {
  for (const std::vector<double>& fractions : std::vector<std::vector<double>>{
           {0.5, 0.75, 1}, {0.2, 0.3, 0.9}, {0.4, 0.401, 0.999, 1}, {0.3}}) {
    for (const double alpha : {0.0125, 0.2}) {
      std::vector<double> p;
      const auto looks = boundaries(alpha, fractions);
      for (const Boundary& look : looks) p.push_back(look.p);
      const auto spent = alpha_spent(fractions, p);
      for (std::size_t k = 0; k < looks.size(); ++k) {
        EXPECT_NEAR(spent[k] / looks[k].spent, 1, 1e-6) << fractions[k] << " " << alpha;
      }
    }
  }
}

TEST(Spending, WithoutALimitEveryLookCosts) {
  // Two looks at 0.05 each, halfway and at the end: 0.083 (Armitage, McPherson and Rowe, two-sided)
  // is 0.0446 for 0.025 on one side, but for what crosses on both.
  const std::vector<double> halves = {0.5, 1};
  const std::vector<double> p = {0.025, 0.025};
  const auto spent = alpha_spent(halves, p);
  EXPECT_NEAR(spent[0], 0.025, 1e-9);
  EXPECT_NEAR(spent[1], 0.083 / 2, 0.0002);
}

TEST(Spending, RefusesWhatCannotBeSpent) {
  const std::vector<double> falling = {0.5, 0.4};
  const std::vector<double> beyond = {0.5, 1.5};
  const std::vector<double> early = {0.1, 1};
  const std::vector<double> sound = {0.5, 1};
  const std::vector<double> one = {0.01};
  EXPECT_EQ(refusal([&] { boundaries(0.025, falling); }),
            "looks: fraction 0.4 after 0.5; fractions rise by at least 0.001 to at most 1");
  EXPECT_EQ(refusal([&] { boundaries(0.025, beyond); }),
            "looks: fraction 1.5 after 0.5; fractions rise by at least 0.001 to at most 1");
  EXPECT_EQ(refusal([&] { boundaries(0.0125, early); }),
            "looks: one at fraction 0.1 may spend only 2.8e-15; look later");
  EXPECT_EQ(refusal([&] { boundaries(0.5, sound); }), "looks: alpha 0.5 must lie in (0, 0.5)");
  EXPECT_EQ(refusal([&] { boundaries(0.025, {}); }), "looks: give at least one fraction");
  EXPECT_EQ(refusal([&] { alpha_spent(sound, one); }), "looks: 1 p for 2 fractions");
}

}  // namespace
}  // namespace assay
