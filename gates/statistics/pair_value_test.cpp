#include "gates/statistics/pair_value.h"

#include <gtest/gtest.h>

#include <cmath>
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

TEST(PairValue, RefusesWhatIsNoLaunchPair) {
  EXPECT_EQ(message_of("ABABABAB", kTimes),
            "launch pair: labels \"ABABABAB\" are neither \"ABBABAAB\" nor \"BAABABBA\"");
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
