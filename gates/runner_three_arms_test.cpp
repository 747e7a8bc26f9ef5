// The A/B with the baseline in two processes: what a verdict rests on, and what the run leaves to
// the A/A history. Times are simulated.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gates/gate_ab.h"
#include "gates/simulated_workspace.h"
#include "gates/statistics/pair_value.h"
#include "gates/twin_effect.h"

namespace assay {
namespace {

using Lines = std::vector<std::string>;
const std::string kCandidate = SimulatedWorkspace::kCandidate;

class ThreeArms : public testing::Test {
 protected:
  void start(double factor) {
    lab.options.arms = 3;
    lab.propose();
    lab.calibrated();
    lab.set(kCandidate, "factor", factor);
  }
  // A/A effects that an experiment's own pairs gave.
  std::vector<AaEffect> twins() const {
    std::vector<AaEffect> all;
    for (const Event& event : lab.journal.log) {
      if (event.kind != EventKind::kCalibrated) continue;
      const auto effect = event.body.get<AaEffect>();
      if (effect.id.starts_with("twins-of-")) all.push_back(effect);
    }
    return all;
  }
  SimulatedWorkspace lab;
};

TEST_F(ThreeArms, LandAndLeaveTheirTwinsToTheHistory) {
  start(0.9);
  const RunOutcome outcome = lab.run();
  EXPECT_EQ(outcome.outcome, "landed") << outcome.message;
  const ExperimentView view = lab.view();
  EXPECT_EQ(recheck_verdicts(view), Lines{});
  const AttemptView& attempt = view.attempts.at(0);
  EXPECT_EQ(attempt.plan->at("plan").at("arms"), 3);
  for (const PairSample& sample : attempt.samples) {
    EXPECT_EQ(sample.worker_ns.size(), static_cast<std::size_t>(kTripleSegments));
    EXPECT_EQ(std::count(sample.labels.begin(), sample.labels.end(), 'C'), 6) << sample.labels;
  }
  const std::vector<AaEffect> left = twins();
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0].id, "twins-of-" + attempt.opened.fingerprint);
  EXPECT_EQ(left[0].pair_values.size(), 16U);  // 8 of the first look, 8 of the confirmation
}

TEST_F(ThreeArms, TwoArmHistoryIsBroughtToTheirScale) {
  start(0.9);
  lab.run();
  const AttemptView attempt = lab.view().attempts.at(0);
  const auto plan = attempt.plan->at("plan").get<AbPlan>();
  const auto effects = attempt.plan->at("aa").get<std::vector<AaEffect>>();
  ASSERT_EQ(plan.aa.size(), effects.size());
  for (std::size_t i = 0; i < effects.size(); ++i) {
    EXPECT_DOUBLE_EQ(plan.aa[i].pair_values[0], effects[i].pair_values[0] * std::sqrt(3.0) / 2);
  }
}

TEST_F(ThreeArms, NoGainIsNoGainAndItsTwinsCount) {
  start(1.0);
  const RunOutcome outcome = lab.run();
  EXPECT_EQ(lab.view().attempts.at(0).verdict->reason, "no-gain") << outcome.message;
  EXPECT_EQ(twins().size(), 1U);
}

TEST_F(ThreeArms, AStoppedRunGoesOnWithItsThreeArms) {
  start(0.9);
  int samples = 0;
  lab.journal.on_event = [&](const Event& event) {
    if (event.kind == EventKind::kSample && ++samples == 3) lab.stop = true;
  };
  EXPECT_EQ(lab.run().outcome, "inconclusive");
  EXPECT_TRUE(twins().empty());
  lab.stop = false;
  lab.options.arms = 2;  // too late: the plan is frozen
  EXPECT_EQ(lab.run().outcome, "landed");
  EXPECT_EQ(lab.view().attempts.at(0).samples.size(), 16U);
  EXPECT_EQ(twins().size(), 1U);
}

TEST_F(ThreeArms, OtherNumbersAreRefused) {
  start(0.9);
  lab.options.arms = 4;
  EXPECT_EQ(lab.run_refused().message,
            "--arms 4: a pair has 2 processes, or 3 with the baseline twice");
}

}  // namespace
}  // namespace assay
