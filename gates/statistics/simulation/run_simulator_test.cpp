#include "gates/statistics/simulation/run_simulator.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/core/error.h"
#include "gates/statistics/pair_value.h"
#include "gates/statistics/simulation/amplitudes.h"
#include "gates/statistics/simulation/experiment.h"
#include "gates/statistics/simulation/tally.h"

namespace assay::simulation {
namespace {

double value_of(const LaunchPair& pair) {
  return pair_value(pair.labels, pair.times);
}

TEST(RunSimulator, APairHasTheGainAndNothingElseWithoutNoise) {
  Random random(1, "gain", 0);
  const Scenario quiet{.name = "quiet", .slot = kSlot, .noise = 0};
  RunSimulator run(quiet, 128, Direction::kCoin, random);
  for (int i = 0; i < 16; ++i) EXPECT_NEAR(value_of(run.pair("ab", 0.01)), 0.01, 1e-7);
}

TEST(RunSimulator, TheDriftOfARunAllButCancelsInAPair) {
  Random random(1, "drift", 0);
  const Scenario quiet{.name = "quiet", .drift = kDrift, .noise = 0};
  RunSimulator run(quiet, 128, Direction::kFalling, random);
  for (int i = 0; i < 16; ++i) EXPECT_NEAR(value_of(run.pair("ab", 0)), 0, 1e-6);
}

TEST(RunSimulator, ARunDriftsByTheAmplitudeInTheDirectionAsked) {
  Random random(1, "fall", 0);
  const Scenario quiet{.name = "quiet", .drift = kDrift, .noise = 0};
  RunSimulator run(quiet, 100, Direction::kFalling, random);
  EXPECT_EQ(run.segment(), 0);
  for (int i = 1; i < 100; ++i) run.segment();
  EXPECT_NEAR(run.segment(), std::log(0.9), 1e-12);
}

TEST(RunSimulator, PairSdsAreThoseOfTheAmplitudes) {
  EXPECT_NEAR(pair_sd_of(scenario_named("normal"), 16), 0.0021, 0.0001);
  EXPECT_NEAR(pair_sd_of(normal_noise(0.02), 16), 0.02, 0.001);
  // Two processes, each in its slow mode or not: 2 % x sqrt(1/2).
  EXPECT_NEAR(pair_sd_of(scenario_named("bimodal"), 16), 0.0141, 0.0005);
}

TEST(Random, DependsOnTheCellAndTheIndexOnly) {
  EXPECT_EQ(Random(1, "cell", 3).normal(), Random(1, "cell", 3).normal());
  EXPECT_NE(Random(1, "cell", 3).normal(), Random(1, "cell", 4).normal());
  EXPECT_NE(Random(1, "cell", 3).normal(), Random(1, "tell", 3).normal());
  EXPECT_NE(Random(1, "cell", 3).normal(), Random(2, "cell", 3).normal());
}

TEST(Scenario, AnUnknownNameListsTheKnownOnes) {
  try {
    scenario_named("noise");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_STREQ(error.what(),
                 "there is no scenario \"noise\"; the suite has \"normal\", \"drift\", \"ramp\", "
                 "\"pair ramp\", \"AR(1)\", \"slot\", \"bimodal\", \"t3\", \"spikes\", \"all\"");
  }
}

TEST(Tally, SumsOverEveryIndexOnce) {
  const Tally sums = tally(1000, 2, [](std::int64_t index, Tally& counts) {
    counts[0] += index;
    ++counts[1];
  });
  EXPECT_EQ(sums, (Tally{499'500, 1000}));
}

TEST(Tally, ThrowsWhatAnExperimentThrew) {
  EXPECT_THROW(tally(100, 1,
                     [](std::int64_t index, Tally&) {
                       if (index == 77) throw Error(ErrorKind::kInternal, "77");
                     }),
               Error);
}

}  // namespace
}  // namespace assay::simulation
