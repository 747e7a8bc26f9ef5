#include "gates/statistics/variance_components.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "engine/core/error.h"
#include "gates/statistics/pair_value.h"
#include "gates/statistics/simulated_pairs.h"

namespace assay {
namespace {

struct Truth {
  double segment_sd, slow_sd, process_sd;
};

// Pairs of the model, with what the estimates must not see: an effect, a pair's own speed, a drift,
// and a slow outer position.
std::vector<LaunchPair> simulated(int arms, int count, const Truth& truth, std::uint64_t seed) {
  PairSimulator simulator(seed);
  std::vector<LaunchPair> pairs;
  for (int i = 0; i < count; ++i) {
    LaunchPair pair{"ab", coin_labels("components", 1, "", "ab", i, arms), {}, "host", false};
    double process[3];
    double slow[3];
    for (double& offset : process) offset = truth.process_sd * simulator.normal();
    const double shared = 0.05 * simulator.normal();
    const auto block = static_cast<std::size_t>(block_segments(arms));
    for (std::size_t slot = 0; slot < pair.labels.size(); ++slot) {
      if (slot % block == 0) {
        for (double& offset : slow) offset = truth.slow_sd * simulator.normal();
      }
      const auto label = static_cast<std::size_t>(pair.labels[slot] - 'A');
      const bool outer = slot % block == 0 || slot % block == block - 1;
      const double y = shared + 0.001 * static_cast<double>(slot) + (outer ? 0.02 : 0) +
                       (label == 1 ? -0.1 : 0) + process[label] + slow[label] +
                       truth.segment_sd * simulator.normal();
      pair.times.push_back(std::llround(1e12 * std::exp(y)));
    }
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

TEST(VarianceComponents, FindsWhatWasPutIn) {
  for (const int arms : {2, 3}) {
    for (const Truth& truth : {Truth{0.004, 0.003, 0.005}, Truth{0.006, 0.001, 0.002}}) {
      const VarianceComponents found = variance_components(simulated(arms, 4000, truth, 1));
      EXPECT_NEAR(found.segment_sd / truth.segment_sd, 1, 0.05) << arms;
      EXPECT_NEAR(found.slow_sd * found.slow_sd, truth.slow_sd * truth.slow_sd, 1.2e-6) << arms;
      EXPECT_NEAR(found.process_sd * found.process_sd, truth.process_sd * truth.process_sd, 2e-6)
          << arms;
      EXPECT_EQ(found.arms, arms);
      EXPECT_EQ(found.pairs, 4000);
    }
  }
}

TEST(VarianceComponents, TheirPairSdIsThatOfD) {
  for (const int arms : {2, 3}) {
    const auto pairs = simulated(arms, 4000, {0.004, 0.003, 0.005}, 2);
    std::vector<double> values;
    for (const LaunchPair& pair : pairs) values.push_back(pair_value(pair.labels, pair.times));

    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / 4000;
    double squares = 0;
    for (const double value : values) squares += (value - mean) * (value - mean) / 3999;
    EXPECT_NEAR(variance_components(pairs).pair_sd / std::sqrt(squares), 1, 0.03) << arms;
  }
}

TEST(VarianceComponents, WhatIsNotThereIsNothing) {
  const VarianceComponents found = variance_components(simulated(2, 16, {0, 0, 0}, 3));
  EXPECT_NEAR(found.segment_sd, 0, 1e-11);
  EXPECT_NEAR(found.slow_sd, 0, 1e-8);
  EXPECT_NEAR(found.process_sd, 0, 1e-8);
}

TEST(VarianceComponents, NeedsThreePairsOfOneDesign) {
  const auto refusal = [](const std::vector<LaunchPair>& pairs) -> std::string {
    try {
      variance_components(pairs);
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  auto pairs = simulated(2, 3, {0.004, 0.003, 0.005}, 4);
  EXPECT_EQ(refusal(pairs), "accepted");
  pairs[0].dropped = true;
  EXPECT_EQ(refusal(pairs), "variance components: 2 pairs; at least 3 are needed");
  pairs.push_back(simulated(3, 1, {0.004, 0.003, 0.005}, 4)[0]);
  EXPECT_EQ(refusal(pairs), "variance components: a pair of 3 arms among pairs of 2");
}

}  // namespace
}  // namespace assay
