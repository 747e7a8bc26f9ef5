#include "engine/generate/sampling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <vector>

namespace assay {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

using Counts = std::map<std::int32_t, int>;

Counts draws(const std::vector<float>& logits, Sampling sampling, int count) {
  Counts counts;
  for (int step = 0; step < count; ++step) ++counts[pick_token(logits, sampling, step)];
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
  EXPECT_EQ(uniform_number(0, 0), 0x1.c4415072f63b9p-1);  // 0xe220a8397b1dcdaf of SplitMix64
  EXPECT_EQ(uniform_number(0, 1), 0x1.b9e279aa86e58p-2);
  EXPECT_NE(uniform_number(1, 0), uniform_number(0, 1));
  for (int step = 0; step < 10'000; ++step) {
    EXPECT_GE(uniform_number(7, step), 0.0);
    EXPECT_LT(uniform_number(7, step), 1.0);
  }
}

TEST(Sampling, ZeroTemperatureTakesTheLargest) {
  EXPECT_EQ(pick_token(std::vector<float>{1, 3, 2}, {}, 5), 1);
  EXPECT_EQ(pick_token(std::vector<float>{1, 3, 3}, {}, 5), 1);  // the lowest id
  EXPECT_EQ(pick_token(std::vector<float>{-kInfinity, -4}, {}, 0), 1);
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
    tokens.push_back(pick_token(logits, {.temperature = 1, .seed = 42}, step));
  }
  EXPECT_EQ(tokens, (std::vector<std::int32_t>{0, 1, 2, 2, 1, 0, 2, 2, 3, 0, 3, 3}));
  const auto differ = [&](std::int32_t seed) {
    int count = 0;
    for (int step = 0; step < 12; ++step) {
      count += pick_token(logits, {.temperature = 1, .seed = seed}, step) !=
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
  EXPECT_EQ(pick_token(std::vector<float>{0, -1e38f}, {.temperature = 1e-300, .seed = 1}, 0), 0);
}

}  // namespace
}  // namespace assay
