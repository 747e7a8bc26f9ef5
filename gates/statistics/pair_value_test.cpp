#include "gates/statistics/pair_value.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "engine/core/error.h"

namespace assay {
namespace {

const std::vector<std::int64_t> kTimes = {101000000, 99500000,  98700000,  102300000,
                                          97100000,  104400000, 103900000, 98800000};

std::string swapped(std::string labels) {
  for (char& label : labels) label = label == 'A' ? 'B' : 'A';
  return labels;
}

std::string message_of(std::string_view labels, const std::vector<std::int64_t>& times) {
  try {
    pair_value(labels, times);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kCheckFound);
    return error.what();
  }
  return "no error";
}

TEST(PairValue, IsTheMeanOfItsTwoBlocksDifferences) {
  const auto y = [](int slot) { return std::log(static_cast<double>(kTimes[slot])); };
  const double abba = (y(0) + y(3)) / 2 - (y(1) + y(2)) / 2;
  const double baab = (y(5) + y(6)) / 2 - (y(4) + y(7)) / 2;
  EXPECT_NEAR(pair_value("ABBABAAB", kTimes), (abba + baab) / 2, 1e-14);
}

TEST(PairValue, IsPositiveWhenTheCandidateIsFaster) {
  const std::vector<std::int64_t> times = {110, 100, 100, 110, 100, 110, 110, 100};
  EXPECT_NEAR(effect_of(pair_value("ABBABAAB", times)), 0.10, 1e-12);
}

TEST(PairValue, SwappingTheLabelsNegatesItBitForBit) {
  for (const std::string labels : {"ABBABAAB", "BAABABBA"}) {
    EXPECT_EQ(pair_value(swapped(labels), kTimes), -pair_value(labels, kTimes)) << labels;
  }
}

TEST(PairValue, DoesNotDependOnTheUnitOfTime) {
  std::vector<std::int64_t> scaled;
  for (const std::int64_t time : kTimes) scaled.push_back(1000 * time);
  EXPECT_NEAR(pair_value("BAABABBA", scaled), pair_value("BAABABBA", kTimes), 1e-14);
}

TEST(PairValue, CancelsADriftLinearInTheSlot) {
  std::vector<std::int64_t> drifting;
  for (int slot = 0; slot < 8; ++slot) {
    drifting.push_back(std::llround(1e12 * std::exp(0.03 * slot)));
  }
  EXPECT_NEAR(pair_value("ABBABAAB", drifting), 0, 1e-11);
  EXPECT_NEAR(pair_value("BAABABBA", drifting), 0, 1e-11);
}

TEST(SegmentOrders, EveryOrderIsBalanced) {
  EXPECT_EQ(segment_orders(2), (std::vector<std::string>{"ABBABAAB", "BAABABBA"}));
  ASSERT_EQ(segment_orders(3).size(), 12u);
  EXPECT_EQ(std::set<std::string>(segment_orders(3).begin(), segment_orders(3).end()).size(), 12u);
  for (const std::string& order : segment_orders(3)) {
    ASSERT_EQ(order.size(), static_cast<std::size_t>(kTripleSegments));
    std::set<std::string> places;  // of each letter within its block, from the outside
    for (std::size_t block = 0; block < 18; block += 6) {
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(order[block + i], order[block + 5 - i]) << order;
        places.insert(std::string{order[block + i], static_cast<char>('0' + i)});
      }
    }
    EXPECT_EQ(places.size(), 9u) << order;  // each letter in each place once
  }
}

std::vector<std::int64_t> triple_times(double base, double again, double candidate,
                                       const std::string& order) {
  std::vector<std::int64_t> times;
  for (const char label : order) {
    const double y = label == 'A' ? base : label == 'C' ? again : candidate;
    times.push_back(std::llround(1e12 * std::exp(y)));
  }
  return times;
}

TEST(ThreeArms, DIsTheMeanBaselineLessTheCandidate) {
  for (const std::string& order : segment_orders(3)) {
    const PairMeasure measure = measure_pair(order, triple_times(0.03, 0.05, -0.01, order));
    EXPECT_EQ(measure.arms, 3);
    EXPECT_NEAR(measure.d, 0.05, 1e-11) << order;
    EXPECT_NEAR(measure.contrast, -0.02 * std::sqrt(3.0) / 2, 1e-11) << order;
    EXPECT_NEAR(measure.mean_a - measure.mean_b, 0.04, 1e-11);
    EXPECT_NEAR(measure.mean_c - measure.mean_b, 0.06, 1e-11);
  }
}

TEST(ThreeArms, ExchangingTheBaselinesNegatesTheContrastBitForBit) {
  std::vector<std::int64_t> times;
  for (int i = 0; i < 18; ++i) times.push_back(100000000 + 7919 * ((i * 31) % 97));
  for (std::string order : segment_orders(3)) {
    const PairMeasure there = measure_pair(order, times);
    for (char& label : order) label = label == 'A' ? 'C' : label == 'C' ? 'A' : 'B';
    const PairMeasure back = measure_pair(order, times);
    EXPECT_EQ(back.d, there.d);
    EXPECT_EQ(back.contrast, -there.contrast);
  }
}

TEST(ThreeArms, CancelsDriftLinearAndQuadraticInTheSlotAndTheUnit) {
  for (const std::string& order : segment_orders(3)) {
    std::vector<std::int64_t> drifting;
    std::vector<std::int64_t> ten_times;
    for (int slot = 0; slot < 18; ++slot) {
      const double within = slot % 6 - 2.5;  // of a block
      drifting.push_back(std::llround(1e12 * std::exp(0.01 * slot + 0.003 * within * within)));
      ten_times.push_back(10 * drifting.back());
    }
    const PairMeasure measure = measure_pair(order, drifting);
    EXPECT_NEAR(measure.d, 0, 1e-11) << order;
    EXPECT_NEAR(measure.contrast, 0, 1e-11) << order;
    EXPECT_NEAR(measure_pair(order, ten_times).d, measure.d, 1e-13);
  }
}

TEST(ThreeArms, RefusesBlocksThatAreNotBalanced) {
  const std::string twice = "ABCCBAABCCBACABBAC";
  EXPECT_EQ(message_of(twice, std::vector<std::int64_t>(18, 5)),
            "launch pair: labels \"ABCCBAABCCBACABBAC\" are neither \"ABBABAAB\" nor "
            "\"BAABABBA\", nor one of the orders of three arms, as \"ABCCBABCAACBCABBAC\"");
  EXPECT_EQ(message_of(segment_orders(3)[0], std::vector<std::int64_t>(8, 5)),
            "launch pair: 8 segment times, not 18");
}

TEST(CoinLabels, OfThreeArmsFallOnEachOrderAboutEquallyOften) {
  std::map<std::string, int> seen;
  for (int i = 0; i < 12000; ++i) ++seen[coin_labels("slug", 1, "run", "ab", i, 3)];
  ASSERT_EQ(seen.size(), 12u);
  for (const auto& [order, times] : seen) EXPECT_NEAR(times, 1000, 125) << order;
}

TEST(PairValue, RefusesWhatIsNoLaunchPair) {
  EXPECT_EQ(
      message_of("ABABABAB", kTimes),
      "launch pair: labels \"ABABABAB\" are neither \"ABBABAAB\" nor \"BAABABBA\", nor one of the "
      "orders of three arms, as \"ABCCBABCAACBCABBAC\"");
  EXPECT_EQ(message_of("ABBABAAB", {1, 2, 3}), "launch pair: 3 segment times, not 8");
  EXPECT_EQ(message_of("ABBABAAB", {1, 2, 3, 0, 5, 6, 7, 8}),
            "launch pair: segment 3 took 0 ns; a time is positive");
}

TEST(CoinLabels, FollowFromThePlaceInHistoryAlone) {
  EXPECT_EQ(coin_labels("slug", 1, "run", "ab", 3), coin_labels("slug", 1, "run", "ab", 3));
  const auto sequence = [](const std::string& slug, int attempt, const std::string& run,
                           const std::string& stage) {
    std::string text;
    for (int i = 0; i < 40; ++i) text += coin_labels(slug, attempt, run, stage, i)[0];
    return text;
  };
  const std::set<std::string> distinct = {
      sequence("slug", 1, "run", "ab"), sequence("other", 1, "run", "ab"),
      sequence("slug", 2, "run", "ab"), sequence("slug", 1, "again", "ab"),
      sequence("slug", 1, "run", "confirmation")};
  EXPECT_EQ(distinct.size(), 5u);
}

TEST(CoinLabels, FallOnEitherSideAboutEquallyOften) {
  int abba = 0;
  for (int i = 0; i < 4000; ++i) {
    const std::string labels = coin_labels("slug", 1, "run", "ab", i);
    ASSERT_TRUE(labels == "ABBABAAB" || labels == "BAABABBA") << labels;
    if (labels == "ABBABAAB") ++abba;
  }
  EXPECT_NEAR(abba, 2000, 130);  // four standard deviations of a fair coin
}

}  // namespace
}  // namespace assay
