// The lines that were measured on an H200 and are kept beside the code, and lines that cannot be.
#include "gates/statistics/simulation/stored_runs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "engine/core/error.h"

namespace assay::simulation {
namespace {

const std::string kMeasured = ASSAY_SOURCE_ROOT "/gates/statistics/simulation/h200_runs.jsonl";

const StoredSeries& named(const std::vector<StoredSeries>& all, const std::string& name,
                          bool planted) {
  for (const StoredSeries& one : all) {
    if (one.name == name && (one.gain != 0) == planted) return one;
  }
  throw std::runtime_error("no series " + name);
}

TEST(StoredRuns, APlantedSpinIsAGainOfTheArmWithoutIt) {
  const std::vector<StoredSeries> all = read_stored_runs(kMeasured);
  const StoredSeries& spin =
      named(all, "synth:qwen2.5-1.5b-q4_k_m decode depth=128 steps=64", true);
  EXPECT_GT(spin.gain, 0.0);
  EXPECT_LT(spin.gain, 0.06);  // the longest spin is 4.7 % of a step
  EXPECT_GE(spin.pairs.size(), 36U);
  const StoredSeries& equal = named(all, "embedded decode depth=128 steps=64", false);
  EXPECT_EQ(equal.gain, 0.0);
  EXPECT_EQ(equal.pairs.front().labels.size(), 8U);
}

// Rates that follow from the committed pairs: another rule, or another reading of them, shows.
TEST(StoredRuns, BestOfFiveLandsEqualArmsAndOurLooksDoNot) {
  const std::vector<Table> tables = stored_sections(read_stored_runs(kMeasured));
  ASSERT_EQ(tables.size(), 2U);
  ASSERT_FALSE(tables[0].rows.empty());
  for (const Row& row : tables[0].rows) {
    ASSERT_EQ(row.figures.size(), 6U);
    EXPECT_NEAR(row.figures[3]->rate, 0.5, 0.1) << row.name;  // one of two orders has the best
    // Equal arms were far apart where they loaded together, and 8 pairs alone do not know it.
    const bool together = row.name.find("loaded together") != std::string::npos;
    EXPECT_LE(row.figures[5]->rate, together ? 0.05 : 0.0) << row.name;
  }
}

std::string refusal(const std::string& text) {
  const std::string path = testing::TempDir() + "/stored.jsonl";
  std::ofstream(path) << text;
  try {
    read_stored_runs(path);
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), 2);
    return std::string(error.what()).substr(path.size());
  }
  return "";
}

TEST(StoredRuns, ALineThatIsNoRunIsNamed) {
  EXPECT_TRUE(
      refusal("{}\n").starts_with(":1: no run as scripts/gpu/planted_effects.py writes it: "));
  const std::string run =
      R"({"workload": "w", "planted": "", "arms": 2, "samples": [{"labels": "ABBABAAB", "ns": [1, 2, 3]}]})";
  EXPECT_TRUE(refusal("\n" + run).starts_with(":1: ")) << "an empty line is none either";
  EXPECT_NE(refusal(run + "\n"), "");
  EXPECT_THROW(read_stored_runs("/nosuch/file"), Error);
}

}  // namespace
}  // namespace assay::simulation
