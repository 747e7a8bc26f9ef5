// A/A runs: two equal arms must not look like a gain, however their labels fall, and a stopped run
// leaves nothing that counts.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/core/error.h"
#include "gates/launch_pair.h"
#include "gates/simulated_workspace.h"
#include "gates/statistics/pair_value.h"

namespace assay {
namespace {

const std::string kCandidate = SimulatedWorkspace::kCandidate;
const std::string kIncumbent = SimulatedWorkspace::kIncumbent;

CalibrateOptions quick(const SimulatedWorkspace& lab) {
  CalibrateOptions options;
  options.workload = lab.definition().workloads.front();
  options.segment_s = 0.0002;
  options.warm_up_s = 0;
  return options;
}

// At a bar of ten pair sds: at a bar of 0 one run in a hundred would, as it should.
TEST(Calibrate, EqualArmsWouldNotLand) {
  SimulatedWorkspace lab;
  for (int i = 0; i < 3; ++i) {
    const CalibrateOutcome outcome = calibrate(quick(lab), 0.01, lab.context());
    EXPECT_FALSE(outcome.would_land) << i;
    EXPECT_LT(std::fabs(outcome.estimate), 0.002);
    EXPECT_LT(outcome.low, outcome.estimate);
    EXPECT_GT(outcome.high, outcome.estimate);
    EXPECT_GT(outcome.pair_sd, 0);
    ASSERT_EQ(outcome.effect.pair_values.size(), 8U);
    const std::vector<AaEffect> stored =
        lab.journal.aa_history(outcome.effect.key, "2026-01-01T00:00:00.000Z");
    ASSERT_EQ(stored.size(), static_cast<std::size_t>(i + 1));
    EXPECT_EQ(stored.back().pair_values, outcome.effect.pair_values);
  }
  EXPECT_EQ(lab.journal.events("").back().body.at("outcome"), "calibrated");
}

// The history of a GPU's experiments is measured on the GPU, with the variants of its family.
TEST(Calibrate, MeasuresTheDeviceThatIsAskedFor) {
  SimulatedWorkspace lab;
  CalibrateOptions options = quick(lab);
  options.device = "cuda";
  lab.scenario["hello"]["gpu_absent"] = "no CUDA device here";
  lab.save();
  try {
    calibrate(options, 0.05, lab.context());
    ADD_FAILURE() << "measured without a GPU";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
    EXPECT_STREQ(error.what(), "backend cuda: no CUDA device here");
  }
  lab.scenario["hello"]["gpu_key"] = "cuda-sm90";
  lab.scenario["hello"]["gpu_name"] = "Simulated GPU";
  lab.scenario["backend"] = "cuda";
  lab.save();
  const CalibrateOutcome outcome = calibrate(options, 0.05, lab.context());
  EXPECT_NE(outcome.effect.key.find("Simulated GPU"), std::string::npos) << outcome.effect.key;
  options.device = "";
  EXPECT_THROW(calibrate(options, 0.05, lab.context()), Error) << "a load on the CPU passed";
}

const std::string kPlanted = "add.cpu.planted_spin[cycles=9]";

// The simulated worker with one variant more.
void plant(SimulatedWorkspace& lab, double factor) {
  lab.manifest.variants.push_back({kPlanted, "planted", {}, {}});
  lab.set(kPlanted, "factor", factor);
}

TEST(Calibrate, APlantedCostComesOutAndOnlyTheTwinsJoinTheHistory) {
  SimulatedWorkspace lab;
  plant(lab, 1.05);
  CalibrateOptions options = quick(lab);
  options.planted = kPlanted;
  options.arms = 3;
  const CalibrateOutcome outcome = calibrate(options, 0.0, lab.context());
  EXPECT_NEAR(outcome.estimate, 1 / 1.05 - 1, 0.003);
  EXPECT_TRUE(outcome.excludes_zero);
  EXPECT_FALSE(outcome.would_land);
  ASSERT_EQ(outcome.samples.size(), 8U);
  EXPECT_EQ(outcome.samples.front().stage, "planted");
  EXPECT_EQ(outcome.samples.front().labels.size(), 18U);
  const std::vector<AaEffect> stored =
      lab.journal.aa_history(outcome.effect.key, "2026-01-01T00:00:00.000Z");
  ASSERT_EQ(stored.size(), 1U);
  ASSERT_EQ(stored.front().pair_values.size(), 8U);
  for (const double value : stored.front().pair_values) EXPECT_LT(std::fabs(value), 0.02);
}

TEST(Calibrate, APlantedCostOfTwoArmsLeavesNothingToTheHistory) {
  SimulatedWorkspace lab;
  plant(lab, 1.05);
  CalibrateOptions options = quick(lab);
  options.planted = kPlanted;
  const CalibrateOutcome outcome = calibrate(options, 0.0, lab.context());
  EXPECT_NEAR(outcome.estimate, 1 / 1.05 - 1, 0.003);
  EXPECT_TRUE(lab.journal.aa_history(outcome.effect.key, "2026-01-01T00:00:00.000Z").empty());
}

TEST(Calibrate, OnlyAPlantedVariantIsMeasuredWithoutGates) {
  SimulatedWorkspace lab;
  CalibrateOptions options = quick(lab);
  const auto refused = [&](const std::string& variant) {
    options.planted = variant;
    try {
      calibrate(options, 0.0, lab.context());
    } catch (const Error& error) {
      EXPECT_EQ(error.exit_code(), 2);
      return std::string(error.what());
    }
    return std::string("measured");
  };
  EXPECT_EQ(refused(kCandidate),
            kCandidate +
                ": no planted variant (kernels/planted): a variant that may land is "
                "measured by an experiment, `assay propose` and `assay run`");
  EXPECT_EQ(refused(kPlanted),
            kPlanted +
                ": this worker was built without it: run `assay-planted calibrate` with "
                "--worker assay-worker-planted (its whole path)");
}

TEST(Calibrate, PairValuesFollowFromTheStoredSamples) {
  SimulatedWorkspace lab;
  const CalibrateOutcome outcome = calibrate(quick(lab), 0.05, lab.context());
  std::size_t i = 0;
  for (const Event& event : lab.journal.events("")) {
    if (event.kind != EventKind::kSample) continue;
    const auto sample = event.body.get<PairSample>();
    EXPECT_EQ(sample.stage, "aa");
    EXPECT_EQ(sample.ordinal, static_cast<int>(i));
    EXPECT_EQ(pair_value(sample.labels, sample.worker_ns), outcome.effect.pair_values.at(i++));
  }
  EXPECT_EQ(i, 8U);
}

TEST(Calibrate, SwappedLabelsGiveTheOppositeEffect) {
  SimulatedWorkspace lab;
  lab.scenario["noise"] = 0;
  lab.set(kCandidate, "factor", 0.8);
  PairSetup setup;
  setup.worker.path = lab.worker();
  ServiceRow row;
  row.variant = kIncumbent;
  setup.load_a.service["rms_norm"] = {row};
  row.variant = kCandidate;
  setup.load_b.service["rms_norm"] = {row};
  setup.warm_up_s = 0;
  setup.clock_slack_s = 1;
  TimedPart part;
  part.stage = "ab";
  part.request.phase = "prefill";
  part.request.prompt = {1, 2, 3};
  part.plan_a.prefill_counts = {{kIncumbent, 2}};
  part.plan_b.prefill_counts = {{kCandidate, 2}};
  setup.parts = {part};
  const auto effect = [&](const std::string& labels) {
    const PairResult result = run_launch_pair(setup, labels);
    EXPECT_TRUE(result.faults.empty());
    return pair_value(labels, result.samples.at(0).worker_ns);
  };
  EXPECT_NEAR(effect("ABBABAAB"), std::log(1 / 0.8), 1e-12);
  EXPECT_NEAR(effect("BAABABBA"), std::log(1 / 0.8), 1e-12);
  std::swap(setup.load_a, setup.load_b);
  std::swap(setup.parts[0].plan_a, setup.parts[0].plan_b);
  EXPECT_NEAR(effect("ABBABAAB"), -std::log(1 / 0.8), 1e-12);
  EXPECT_NEAR(effect("BAABABBA"), -std::log(1 / 0.8), 1e-12);
}

TEST(Calibrate, AStoppedRunCountsForNothing) {
  SimulatedWorkspace lab;
  lab.journal.on_event = [&](const Event& event) {
    if (event.kind == EventKind::kSample) lab.stop = true;
  };
  try {
    calibrate(quick(lab), 0.05, lab.context());
    FAIL() << "must throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), 12);
    EXPECT_STREQ(error.what(),
                 "calibration interrupted: this A/A run does not count, those before it do");
  }
  const Event last = lab.journal.events("").back();
  EXPECT_EQ(last.body.at("outcome"), "inconclusive");
  EXPECT_EQ(last.body.at("exit_code"), 12);
  for (const Event& event : lab.journal.log) EXPECT_NE(event.kind, EventKind::kCalibrated);
}

TEST(Calibrate, AnUnsoundArmIsAnError) {
  SimulatedWorkspace lab;
  lab.journal.on_event = [&](const Event& event) {
    if (event.kind == EventKind::kSample) lab.set(kIncumbent, "bits", "drifted");
  };
  try {
    calibrate(quick(lab), 0.05, lab.context());
    FAIL() << "must throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), 14);
  }
  EXPECT_EQ(lab.journal.events("").back().body.at("outcome"), "error");
}

TEST(Calibrate, ARunWithoutHistoryMeasuresSixFirst) {
  SimulatedWorkspace lab;
  lab.propose();
  lab.set(kCandidate, "factor", 0.9);
  EXPECT_EQ(lab.run().exit_code, 0);
  int calibrations = 0;
  for (const Event& event : lab.journal.log) {
    calibrations += event.kind == EventKind::kCalibrated ? 1 : 0;
  }
  EXPECT_EQ(calibrations, 6);
  const ExperimentView view = lab.view();
  EXPECT_EQ(view.attempts.at(0).plan->at("plan").at("aa").size(), 6U);
  EXPECT_EQ(view.attempts.at(0).verdict->effect.at("provisional"), true);
  EXPECT_EQ(recheck_verdicts(view), std::vector<std::string>{});
}

TEST(Calibrate, AStopDuringARunsOwnCalibrationIsInconclusive) {
  SimulatedWorkspace lab;
  lab.propose();
  lab.set(kCandidate, "factor", 0.9);
  int samples = 0;
  lab.journal.on_event = [&](const Event& event) {
    if (event.kind == EventKind::kSample && ++samples == 11) lab.stop = true;
  };
  const RunOutcome outcome = lab.run();
  EXPECT_EQ(outcome.exit_code, 12);
  EXPECT_EQ(outcome.outcome, "inconclusive");
  EXPECT_EQ(outcome.message,
            "stopped while the A/A history was measured; run again to go on, pairs are kept");
  EXPECT_EQ(lab.gates().back(), "ab skipped");
  const ExperimentView view = lab.view();
  EXPECT_EQ(view.used_attempts(), 0);
  ASSERT_TRUE(view.runs.back().ended);
  EXPECT_EQ(view.runs.back().ended->outcome, "inconclusive");
  // The whole A/A run before it is kept.
  lab.stop = false;
  lab.journal.on_event = nullptr;
  EXPECT_EQ(lab.run().exit_code, 0);
  int calibrations = 0;
  for (const Event& event : lab.journal.log) {
    calibrations += event.kind == EventKind::kCalibrated ? 1 : 0;
  }
  EXPECT_EQ(calibrations, 6);
}

}  // namespace
}  // namespace assay
