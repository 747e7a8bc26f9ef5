// The noise of stored calibrations, by source: which samples count, and what is said of them.
#include "gates/cli/noise_components.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gates/cli/driven_program.h"

namespace assay {
namespace {

const std::string kKey =
    "Some CPU | GCC 12 -O3 | abc0123456789def decode depth=8 steps=8 threads=1";

// Pair `index` of a run: A is off by 1 % in turns, the second segment of a process in a block by
// 0.4 % in turns that no position follows.
PairSample sample_of_run(int index) {
  PairSample sample;
  sample.stage = "aa";
  sample.ordinal = index;
  sample.labels = index % 2 == 0 ? "ABBABAAB" : "BAABABBA";
  const double off = index % 2 == 0 ? 0.01 : -0.01;
  for (std::size_t slot = 0; slot < sample.labels.size(); ++slot) {
    const bool odd = (slot * slot + static_cast<std::size_t>(index)) % 3 == 0;
    const double y = (sample.labels[slot] == 'A' ? off : 0) + (odd ? 0.004 : 0);
    sample.worker_ns.push_back(std::llround(1e8 * std::exp(y)));
  }
  return sample;
}

// A calibration of `pairs` pairs on record; its run.
std::string calibrated(Store& store, int pairs) {
  const std::string run = store.open_run("", {"calibrate", "assay calibrate", {}});
  AaEffect effect{run, kKey, "bench-host", "2026-11-05T08:00:00.000Z", {}};
  for (int i = 0; i < pairs; ++i) {
    store.append(run, EventKind::kSample, sample_of_run(i));
    effect.pair_values.push_back(i % 2 == 0 ? 0.01 : -0.01);
  }
  store.append(run, EventKind::kCalibrated, effect);
  store.end_run(run, {"calibrated", 0, "calibrated"});
  return run;
}

TEST(NoiseComponents, AreOfThePairsOfAllTheRuns) {
  TestWorkspace workspace;
  workspace.assay({"query"});  // makes the folder
  Store store(workspace.database());
  const std::string two = calibrated(store, 2), six = calibrated(store, 6);
  EXPECT_FALSE(noise_components(store, {two}));
  EXPECT_FALSE(noise_components(store, {}));
  EXPECT_FALSE(noise_components(store, {two, "measured elsewhere"}));
  const auto both = noise_components(store, {two, "measured elsewhere", six});
  ASSERT_TRUE(both);
  EXPECT_EQ(both->pairs, 8);
  EXPECT_EQ(both->arms, 2);
  EXPECT_NEAR(both->pair_sd,
              std::sqrt(2 * both->process_sd * both->process_sd + both->slow_sd * both->slow_sd +
                        both->segment_sd * both->segment_sd / 2),
              1e-12);
}

TEST(NoiseComponents, APairThatCannotBeIsLeftOut) {
  TestWorkspace workspace;
  workspace.assay({"query"});
  Store store(workspace.database());
  const std::string run = store.open_run("", {"calibrate", "assay calibrate", {}});
  for (int i = 0; i < 6; ++i) {
    PairSample sample = sample_of_run(i);
    if (i == 3) sample.worker_ns[2] = 0;
    if (i == 4) sample.labels = "ABABABAB";
    if (i == 5) sample.worker_ns.pop_back();
    store.append(run, EventKind::kSample, sample);
  }
  const auto found = noise_components(store, {run});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->pairs, 3);
}

TEST(NoiseComponents, InOneLine) {
  EXPECT_EQ(noise_line({.pairs = 24,
                        .arms = 2,
                        .segment_sd = 0.0031,
                        .slow_sd = 0.0012,
                        .process_sd = 0.004,
                        .pair_sd = 0.00617}),
            "noise by source, of 24 pairs: segment sd 0.31 %, slow sd 0.12 %, process sd 0.40 %; "
            "pair sd by the model 0.62 %\n");
}

TEST(NoiseComponents, AreTheLastLineOfAShownHistory) {
  TestWorkspace workspace;
  workspace.assay({"query"});
  std::string line;
  nlohmann::json components;
  {
    Store store(workspace.database());
    const auto found = noise_components(store, {calibrated(store, 4)});
    ASSERT_TRUE(found);
    line = noise_line(*found);
    components = *found;
  }
  const Finished text = workspace.assay({"calibrate", "--show"});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_TRUE(
      text.out.ends_with("intervals exclude zero (!); below 20: verdicts are provisional\n" + line))
      << text.out;
  const Finished json = workspace.assay({"calibrate", "--show", "--json"});
  EXPECT_EQ(nlohmann::json::parse(json.out).at("histories").at(0).at("components"), components);
}

}  // namespace
}  // namespace assay
