#include "engine/backend/row/sampling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "engine/backend/row/draw_arithmetic.h"

namespace assay {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

using Counts = std::map<std::int32_t, int>;

Counts draws(const std::vector<float>& logits, Sampling sampling, int count) {
  Counts counts;
  for (int step = 0; step < count; ++step) ++counts[pick_token(logits, {sampling, step})];
  return counts;
}

// Logits of these probabilities.
std::vector<float> logs(std::initializer_list<double> probabilities) {
  std::vector<float> logits;
  for (const double p : probabilities) logits.push_back(static_cast<float>(std::log(p)));
  return logits;
}

// Each count within five standard deviations of what the probabilities say.
void expect_distribution(const Counts& counts, const std::vector<double>& probabilities, int n) {
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    const double p = probabilities[i];
    const auto found = counts.find(static_cast<std::int32_t>(i));
    const int count = found == counts.end() ? 0 : found->second;
    EXPECT_NEAR(count, n * p, 5 * std::sqrt(n * p * (1 - p)) + 1e-9) << i;
  }
}

TEST(Sampling, TheRandomNumbersAreTheseOnEveryMachine) {
  using draw_arithmetic::random_number;
  EXPECT_EQ(random_number(0, 0), 0xe220a8397b1dcdafu >> 11);  // of SplitMix64
  EXPECT_EQ(random_number(0, 1), 0xdcf13cd54372cu);
  EXPECT_NE(random_number(1, 0), random_number(0, 1));
  for (int step = 0; step < 10'000; ++step) EXPECT_LT(random_number(7, step) >> 53, 1u);
}

TEST(Sampling, ZeroTemperatureTakesTheLargest) {
  EXPECT_EQ(pick_token(std::vector<float>{1, 3, 2}, {.step = 5}), 1);
  EXPECT_EQ(pick_token(std::vector<float>{1, 3, 3}, {.step = 5}), 1);  // the lowest id
  EXPECT_EQ(pick_token(std::vector<float>{-kInfinity, -4}, {}), 1);
}

TEST(Sampling, DrawsByTheProbabilities) {
  constexpr int kDraws = 100'000;
  const std::vector<float> logits = logs({0.5, 0.1, 0.3, 0.1});
  expect_distribution(draws(logits, {.temperature = 1, .seed = 3}, kDraws), {0.5, 0.1, 0.3, 0.1},
                      kDraws);
  // At temperature 0.5 probabilities are squared, at 2 their roots.
  expect_distribution(draws(logits, {.temperature = 0.5, .seed = 3}, kDraws),
                      {0.25 / 0.36, 0.01 / 0.36, 0.09 / 0.36, 0.01 / 0.36}, kDraws);
  const double roots = std::sqrt(0.5) + std::sqrt(0.3) + 2 * std::sqrt(0.1);
  expect_distribution(draws(logits, {.temperature = 2, .seed = 4}, kDraws),
                      {std::sqrt(0.5) / roots, std::sqrt(0.1) / roots, std::sqrt(0.3) / roots,
                       std::sqrt(0.1) / roots},
                      kDraws);
}

TEST(Sampling, ASeedGivesTheSameTokensAgain) {
  const std::vector<float> logits = logs({0.25, 0.25, 0.25, 0.25});
  std::vector<std::int32_t> tokens;
  for (int step = 0; step < 12; ++step) {
    tokens.push_back(pick_token(logits, {{.temperature = 1, .seed = 42}, step}));
  }
  EXPECT_EQ(tokens, (std::vector<std::int32_t>{0, 1, 2, 2, 1, 0, 2, 2, 3, 0, 3, 3}));
  const auto differ = [&](std::int32_t seed) {
    int count = 0;
    for (int step = 0; step < 12; ++step) {
      count += pick_token(logits, {{.temperature = 1, .seed = seed}, step}) !=
                       tokens[static_cast<std::size_t>(step)]
                   ? 1
                   : 0;
    }
    return count;
  };
  EXPECT_EQ(differ(42), 0);
  EXPECT_GT(differ(43), 0);
}

TEST(Sampling, TopKOneIsGreedy) {
  const std::vector<float> logits{0, 2, 1, 2, -1};
  EXPECT_EQ(draws(logits, {.temperature = 5, .top_k = 1, .seed = 9}, 1000), (Counts{{1, 1000}}));
}

TEST(Sampling, TopKKeepsTheLowestIdsOfEqualLogits) {
  constexpr int kDraws = 10'000;
  const std::vector<float> logits{1, 5, 1, 1, 5};
  const Counts counts = draws(logits, {.temperature = 100, .top_k = 3, .seed = 1}, kDraws);
  EXPECT_EQ(counts.size(), 3u);
  EXPECT_TRUE(counts.contains(0) && counts.contains(1) && counts.contains(4));
  EXPECT_EQ(draws(logits, {.temperature = 100, .top_k = 5, .seed = 1}, kDraws),
            draws(logits, {.temperature = 100, .seed = 1}, kDraws));
}

TEST(Sampling, TopPKeepsTheFewestThatReachIt) {
  const std::vector<float> logits = logs({0.1, 0.5, 0.15, 0.25});
  const auto kept = [&](double p) {
    return draws(logits, {.temperature = 100, .top_p = p, .seed = 2}, 2000).size();
  };
  EXPECT_EQ(kept(1e-9), 1u);
  EXPECT_EQ(kept(0.49), 1u);
  EXPECT_EQ(kept(0.51), 2u);
  EXPECT_EQ(kept(0.74), 2u);
  EXPECT_EQ(kept(0.76), 3u);
  EXPECT_EQ(kept(0.91), 4u);
  EXPECT_EQ(kept(1), 4u);
}

// Ties at the edge of top-p: the lowest ids stay.
TEST(Sampling, TopPKeepsTheLowestIdsOfEqualLogits) {
  const std::vector<float> logits(10, 0.0f);
  const Counts counts = draws(logits, {.temperature = 1, .top_p = 0.35, .seed = 2}, 2000);
  EXPECT_EQ(counts.size(), 4u);
  EXPECT_EQ(counts.rbegin()->first, 3);
}

// Top-k comes first, and top-p counts in what it left, at temperature 1: of 0.4, 0.3 and 0.3 two
// are left with 4/7 and 3/7, so that 0.55 is reached by one. Of all three, or at temperature 100,
// it takes two.
TEST(Sampling, TopKThenTopPThenTemperature) {
  const std::vector<float> logits = logs({0.4, 0.3, 0.3});
  EXPECT_EQ(draws(logits, {.temperature = 100, .top_k = 2, .top_p = 0.55, .seed = 5}, 2000).size(),
            1u);
  EXPECT_EQ(draws(logits, {.temperature = 100, .top_p = 0.55, .seed = 5}, 2000).size(), 2u);
}

TEST(Sampling, WhatIsNotFinite) {
  const Sampling usual{.temperature = 1, .seed = 1};
  EXPECT_EQ(draws({kNan, 1, kNan}, usual, 100), (Counts{{1, 100}}));
  EXPECT_EQ(draws({-kInfinity, 1, -kInfinity}, usual, 100), (Counts{{1, 100}}));
  EXPECT_EQ(draws({1, kInfinity, 2}, usual, 100), (Counts{{1, 100}}));
  EXPECT_EQ(draws({1, kInfinity, kInfinity}, usual, 100).size(), 2u);
  EXPECT_EQ(draws({-kInfinity, -kInfinity}, usual, 100).size(), 2u);
  EXPECT_EQ(draws({kNan, kNan}, usual, 100), (Counts{{0, 100}}));
  EXPECT_EQ(pick_token(std::vector<float>{0, -1e38f}, {{.temperature = 1e-300, .seed = 1}}), 0);
}

// Keys order as the definition does: by value, equal values (both zeros) by lowest id, NaN last.
TEST(Sampling, KeysOrderByValueThenByLowestId) {
  using draw_arithmetic::key_of;
  const std::vector<float> ascending{-kInfinity, -3e38f, -1,    -1e-40f,  0,
                                     1e-45f,     1,      3e38f, kInfinity};
  for (std::size_t i = 0; i + 1 < ascending.size(); ++i) {
    EXPECT_LT(key_of(ascending[i], 0), key_of(ascending[i + 1], 1'000'000)) << i;
  }
  EXPECT_GT(key_of(-0.0f, 4), key_of(0.0f, 5));
  EXPECT_GT(key_of(0.0f, 4), key_of(-0.0f, 5));
  EXPECT_EQ(key_of(kNan, 0), 0u);
  EXPECT_GT(key_of(-kInfinity, draw_arithmetic::kMostTokens - 1), 0u);
}

// 2^44 for the largest; half a unit rounds to even, and below that there is nothing to draw.
TEST(Sampling, WeightsAreTheseIntegers) {
  using draw_arithmetic::weight_of;
  EXPECT_EQ(weight_of(5, 5, 1), std::uint64_t{1} << 44);
  EXPECT_EQ(weight_of(kInfinity, kInfinity, 1), std::uint64_t{1} << 44);
  EXPECT_EQ(weight_of(4, 5, 1), 6'471'803'571'004u);
  EXPECT_EQ(weight_of(-25, 5, 1), 2u);
  EXPECT_EQ(weight_of(-26, 5, 1), 1u);
  EXPECT_EQ(weight_of(-27, 5, 1), 0u);
  EXPECT_EQ(weight_of(-27, 5, 2), 1'979'740u);
  EXPECT_EQ(weight_of(5, kInfinity, 1), 0u);
  EXPECT_EQ(weight_of(-kInfinity, 5, 1), 0u);
}

TEST(Sampling, SharesAreExact) {
  using namespace draw_arithmetic;
  EXPECT_EQ(fixed_p(1), std::uint64_t{1} << 53);
  EXPECT_EQ(fixed_p(0.5), std::uint64_t{1} << 52);
  EXPECT_EQ(fixed_p(1e-300), 1u);
  EXPECT_EQ(wanted_mass(fixed_p(0.5), 7), 4u);
  EXPECT_EQ(wanted_mass(fixed_p(1e-300), std::uint64_t{1} << 62), 512u);
  EXPECT_EQ(wanted_mass(fixed_p(1e-300), 7), 1u);
  EXPECT_EQ(wanted_mass(fixed_p(0.5), 0), 0u);
  const std::uint64_t largest = (std::uint64_t{1} << 53) - 1;
  EXPECT_EQ(share_of(largest, std::uint64_t{1} << 62), (std::uint64_t{1} << 62) - 512);
  EXPECT_EQ(share_of(largest, 3), 2u);
  EXPECT_EQ(share_of(0, 3), 0u);
}

}  // namespace
}  // namespace assay
