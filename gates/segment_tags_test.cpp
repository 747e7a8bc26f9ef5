// Tags of pairs with known times and cycles.
#include "gates/segment_tags.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gates/statistics/pair_value.h"

namespace assay {
namespace {

// Ten pairs, both orders, in which the candidate takes `by_cycles` fewer cycles and its clock is
// `by_clock` faster; `after_b`: how much longer a segment takes after the candidate's. Each pair is
// off by a little, so that there is a spread to test against.
std::vector<PairSample> samples(double by_cycles, double by_clock, double after_b = 0) {
  std::vector<PairSample> all;
  for (int i = 0; i < 10; ++i) {
    PairSample sample;
    sample.stage = "ab";
    sample.ordinal = i;
    sample.labels = i % 2 == 0 ? "ABBABAAB" : "BAABABBA";
    const double off = 1e-4 * (i / 2 - 2);
    nlohmann::json cycles = nlohmann::json::array(), times = nlohmann::json::array();
    for (std::size_t slot = 0; slot < sample.labels.size(); ++slot) {
      const bool b = sample.labels[slot] == 'B';
      const bool carried = slot > 0 && sample.labels[slot - 1] == 'B';
      const double work = (b ? -by_cycles : 0) + (carried ? after_b + off : 0);
      const double time = work - (b ? by_clock + off : 0);
      cycles.push_back(std::llround(2e8 * std::exp(work)));
      times.push_back(std::llround(1e8 * std::exp(time)));
      sample.worker_ns.push_back(std::llround(1.1e8 * std::exp(time)));
    }
    sample.telemetry = {{"segments", {{"device_ns", times}, {"cycles", cycles}}}};
    all.push_back(std::move(sample));
  }
  return all;
}

TEST(SegmentTags, OfAnEffectThatIsPartlyTheClocks) {
  const nlohmann::json tags = segment_tags(samples(0.03, 0.008));
  const nlohmann::json& clock = tags.at("clock_mediated");
  EXPECT_EQ(clock.at("pairs"), 10);
  EXPECT_EQ(clock.at("tagged"), true);
  EXPECT_NEAR(clock.at("effect"), 0.008, 1e-6);
  EXPECT_NEAR(clock.at("by_cycles"), std::exp(0.03) - 1, 1e-4);
  EXPECT_LT(clock.at("p"), 1e-9);
  EXPECT_EQ(tags.at("carry_over").at("tagged"), false);
}

TEST(SegmentTags, OfWorkAloneAreNone) {
  const nlohmann::json tags = segment_tags(samples(0.03, 0));
  EXPECT_EQ(tags.at("clock_mediated").at("tagged"), false);
  EXPECT_EQ(tags.at("carry_over").at("tagged"), false);
}

TEST(SegmentTags, OfSegmentsThatAreSlowerAfterTheCandidate) {
  const nlohmann::json tags = segment_tags(samples(0.03, 0, 0.01));
  EXPECT_EQ(tags.at("carry_over").at("tagged"), true);
  EXPECT_NEAR(tags.at("carry_over").at("effect"), 0.01, 2e-4);
  EXPECT_EQ(tags.at("clock_mediated").at("tagged"), false);
}

TEST(SegmentTags, ReadKeptPairsOfTheABOnly) {
  std::vector<PairSample> pairs = samples(0.03, 0.008);
  const nlohmann::json tags = segment_tags(pairs);
  PairSample other = pairs[0];
  other.stage = "confirmation";
  other.telemetry = nullptr;
  pairs.push_back(other);
  other.stage = "ab";
  other.dropped = "another process kept 0.9 cores busy";
  pairs.push_back(other);
  EXPECT_EQ(segment_tags(pairs), tags);
}

TEST(SegmentTags, WithoutEveryCycleTheClockIsNotJudged) {
  std::vector<PairSample> pairs = samples(0.03, 0.008);
  pairs[3].telemetry["segments"]["cycles"][5] = 0;
  EXPECT_FALSE(segment_tags(pairs).contains("clock_mediated"));
  pairs[3].telemetry["segments"]["cycles"] = {1, 2};
  EXPECT_FALSE(segment_tags(pairs).contains("clock_mediated"));
  pairs[3].telemetry = nullptr;
  EXPECT_FALSE(segment_tags(pairs).contains("clock_mediated"));
  EXPECT_EQ(segment_tags(pairs).at("carry_over").at("pairs"), 10);
}

}  // namespace
}  // namespace assay
