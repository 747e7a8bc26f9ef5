// Samples of experiments on record, judged with their labels exchanged: what landed is slower then,
// by the same number to the bit. Real times, of the records that are committed.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "gates/statistics/judge.h"
#include "gates/statistics/pair_value.h"

namespace assay {
namespace {

struct Committed {
  AbPlan plan;
  std::vector<LaunchPair> pairs;
};

// The last run with samples of a record.
Committed samples_of(const std::string& stem) {
  const std::string path = ASSAY_SOURCE_ROOT "/results/records/" + stem + ".json";
  const nlohmann::json record = nlohmann::json::parse(std::ifstream(path));
  Committed found;
  for (const nlohmann::json& run : record.at("runs")) {
    for (const nlohmann::json& event : run.at("events")) {
      const nlohmann::json& body = event.at("body");
      if (event.at("kind") == "plan-frozen") found.plan = body.at("plan").get<AbPlan>();
      if (event.at("kind") != "sample") continue;
      found.pairs.push_back({body.at("stage"), body.at("labels"), body.at("worker_ns"),
                             body.at("environment"), body.at("dropped") != ""});
    }
  }
  return found;
}

std::vector<LaunchPair> exchanged(std::vector<LaunchPair> pairs) {
  for (LaunchPair& pair : pairs) {
    for (char& label : pair.labels) label = label == 'A' ? 'B' : 'A';
  }
  return pairs;
}

// Two-arm LANDs, on a CPU and on a GPU.
const char* const kLanded[] = {"0001-matmul-q4k-token-tile", "0005-attention-prefill-lanes",
                               "0006-matvec-q8-0-vnni", "0016-fuse-swiglu-halve"};

TEST(CommittedSamples, ExchangedLabelsNegateEveryPairToTheBit) {
  for (const char* stem : kLanded) {
    const Committed record = samples_of(stem);
    ASSERT_GE(record.pairs.size(), 8U) << stem;
    const std::vector<LaunchPair> other = exchanged(record.pairs);
    for (std::size_t i = 0; i < record.pairs.size(); ++i) {
      EXPECT_EQ(pair_value(other[i].labels, other[i].times),
                -pair_value(record.pairs[i].labels, record.pairs[i].times))
          << stem << ", pair " << i;
    }
  }
}

TEST(CommittedSamples, ExchangedLabelsTurnTheLandIntoSlowerByTheSameNumber) {
  for (const char* stem : kLanded) {
    const Committed record = samples_of(stem);
    const AbJudgement judged = judge(record.plan, record.pairs);
    EXPECT_EQ(judged.action, AbAction::kLand) << stem;
    const AbJudgement other = judge(record.plan, exchanged(record.pairs));
    EXPECT_EQ(other.action, AbAction::kRevert) << stem;
    EXPECT_EQ(other.reason, "slower") << stem;
    ASSERT_FALSE(other.looks.empty()) << stem;
    EXPECT_EQ(other.looks.front().mean, -judged.looks.front().mean) << stem;
    EXPECT_EQ(other.looks.front().pair_sd, judged.looks.front().pair_sd) << stem;
  }
}

}  // namespace
}  // namespace assay
