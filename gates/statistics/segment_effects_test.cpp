#include "gates/statistics/segment_effects.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "engine/core/error.h"
#include "gates/statistics/pair_value.h"
#include "gates/statistics/simulated_pairs.h"

namespace assay {
namespace {

// What is added to ln time of segment `slot` of a pair with these labels.
using Extra = std::function<double(const std::string& labels, std::size_t slot)>;

std::vector<LaunchPair> simulated(int arms, int count, const Extra& extra, std::uint64_t seed) {
  PairSimulator simulator(seed);
  std::vector<LaunchPair> pairs;
  for (int i = 0; i < count; ++i) {
    LaunchPair pair{
        "ab", coin_labels("effects", static_cast<int>(seed), "", "ab", i, arms), {}, "host", false};
    const double offset[] = {0.004 * simulator.normal(), 0.004 * simulator.normal(),
                             0.004 * simulator.normal()};
    for (std::size_t slot = 0; slot < pair.labels.size(); ++slot) {
      const double y =
          offset[pair.labels[slot] - 'A'] + 0.002 * simulator.normal() + extra(pair.labels, slot);
      pair.times.push_back(std::llround(1e12 * std::exp(y)));
    }
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

double after_candidate(const std::string& labels, std::size_t slot) {
  return slot > 0 && labels[slot - 1] == 'B' ? 0.01 : 0;
}

TEST(CarryOver, IsFoundWhereTheCandidateLeavesSomethingBehind) {
  for (const int arms : {2, 3}) {
    const SegmentEffect effect = carry_over(simulated(arms, 16, after_candidate, 1));
    EXPECT_NEAR(effect.effect, 0.01, 0.002) << arms;
    EXPECT_LT(effect.p, kSegmentAlpha);
    EXPECT_TRUE(effect.tagged);
    EXPECT_EQ(effect.pairs, 16);
  }
}

TEST(CarryOver, BiasesDByThreeEighths) {
  double mean = 0;
  for (const std::string& order : segment_orders(2)) {
    LaunchPair pair{"ab", order, {}, "host", false};
    for (std::size_t slot = 0; slot < 8; ++slot) {
      pair.times.push_back(std::llround(1e12 * std::exp(after_candidate(order, slot))));
    }
    mean += pair_value(order, pair.times) / 2;
  }
  EXPECT_NEAR(mean, 0.01 * 3 / 8, 1e-9);
}

TEST(CarryOver, IsNotAPositionEffectADriftOrAnEffect) {
  const auto harmless = [](const std::string& labels, std::size_t slot) {
    const std::size_t block = labels.size() == 8 ? 4 : 6;
    const double first = slot % block == 0 ? 0.05 : 0;
    const double same = slot > 0 && labels[slot] == labels[slot - 1] ? -0.02 : 0;
    return first + same + 0.002 * static_cast<double>(slot) + (labels[slot] == 'B' ? -0.1 : 0);
  };
  for (const int arms : {2, 3}) {
    int tagged = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
      if (carry_over(simulated(arms, 16, harmless, seed)).tagged) ++tagged;
    }
    EXPECT_LE(tagged, 3) << arms;  // 0.3 expected; more than 3 has probability 3e-4
  }
}

TEST(CarryOver, ThatAProcessComesTwiceInARowDoesNotReachThreeArms) {
  std::vector<LaunchPair> pairs;
  for (const std::string& order : segment_orders(3)) {
    LaunchPair pair{"ab", order, {}, "host", false};
    for (std::size_t slot = 0; slot < order.size(); ++slot) {
      const bool same = slot > 0 && order[slot] == order[slot - 1];
      pair.times.push_back(same ? 980'000'000'000 : 1'000'000'000'000);
    }
    pairs.push_back(std::move(pair));
  }
  EXPECT_NEAR(carry_over(pairs).effect, 0, 1e-12);
  EXPECT_NEAR(carry_over(pairs).error, 0, 1e-12);
}

TEST(CarryOver, OneOrderAloneCannotTell) {
  auto pairs = simulated(2, 16, after_candidate, 1);
  std::erase_if(pairs, [](const LaunchPair& pair) { return pair.labels[0] == 'A'; });
  ASSERT_GT(pairs.size(), 3u);
  EXPECT_EQ(carry_over(pairs).p, 1);
  EXPECT_FALSE(carry_over({}).tagged);
}

TEST(CarryOver, LeavesDroppedPairsOutAndRefusesAMixture) {
  auto pairs = simulated(2, 16, after_candidate, 1);
  pairs[0].dropped = true;
  EXPECT_EQ(carry_over(pairs).pairs, 15);
  pairs.push_back(simulated(3, 1, after_candidate, 1)[0]);
  try {
    carry_over(pairs);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "carry-over: a pair of 3 arms among pairs of 2");
  }
}

// Cycles of the same work; `slowing` is what the candidate's clock loses.
std::vector<ClockedPair> clocked(double slowing) {
  std::vector<ClockedPair> result;
  PairSimulator simulator(9);
  for (const LaunchPair& pair : simulated(
           2, 12, [](auto&, std::size_t) { return 0.0; }, 9)) {
    ClockedPair both{pair.labels, pair.times, {}};
    for (std::size_t i = 0; i < pair.times.size(); ++i) {
      const double clock = 0.0005 * simulator.normal() - (pair.labels[i] == 'B' ? slowing : 0);
      both.cycles.push_back(
          std::llround(1.8 * static_cast<double>(pair.times[i]) * std::exp(clock)));
    }
    result.push_back(std::move(both));
  }
  return result;
}

TEST(ClockMediated, WhenTimeAndCyclesDisagree) {
  const SegmentEffect effect = clock_mediated(clocked(0.02));
  EXPECT_NEAR(effect.effect, -0.02, 0.001);  // by time B looks slower than its work is
  EXPECT_TRUE(effect.tagged);
}

TEST(ClockMediated, NotWhenTheyAgreeOrTheDifferenceIsTiny) {
  EXPECT_FALSE(clock_mediated(clocked(0)).tagged);
  const SegmentEffect tiny = clock_mediated(clocked(0.0008));
  EXPECT_LT(tiny.p, kSegmentAlpha);
  EXPECT_FALSE(tiny.tagged);
  EXPECT_FALSE(clock_mediated({}).tagged);
}

}  // namespace
}  // namespace assay
