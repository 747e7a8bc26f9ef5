// Runs that say nothing about the candidate, however alike they look: no verdict, no attempt.
#include <gtest/gtest.h>
#include <signal.h>

#include <regex>

#include "gates/simulated_workspace.h"

namespace assay {
namespace {

using Lines = std::vector<std::string>;
const std::string kCandidate = SimulatedWorkspace::kCandidate;
const std::string kIncumbent = SimulatedWorkspace::kIncumbent;

struct NotItsFault {
  int exit_code;
  std::string outcome;
  Lines gates;
};

void expect_no_attempt(SimulatedWorkspace& lab, const NotItsFault& expected) {
  const RunOutcome outcome = lab.run();
  EXPECT_EQ(outcome.exit_code, expected.exit_code) << outcome.message;
  EXPECT_EQ(outcome.outcome, expected.outcome);
  EXPECT_EQ(lab.gates(), expected.gates);
  const ExperimentView view = lab.view();
  EXPECT_EQ(view.state, ExperimentState::kProposed);
  EXPECT_EQ(view.used_attempts(), 0);
  EXPECT_TRUE(lab.events(EventKind::kVerdict).empty());
  ASSERT_TRUE(view.runs.back().ended);
  EXPECT_EQ(view.runs.back().ended->exit_code, expected.exit_code);
  EXPECT_EQ(view.runs.back().ended->message, outcome.message);
}

TEST(RunnerNotItsFault, CandidateKilledFromOutside) {
  SimulatedWorkspace lab;
  lab.propose();
  for (const int number : {SIGKILL, SIGTERM}) {
    lab.scenario["variants"][kCandidate] = {{"end_in", "work"}, {"end_by", number}};
    lab.save();
    expect_no_attempt(lab, {12, "killed", {"preflight green", "baseline green", "identity error"}});
  }
  EXPECT_EQ(lab.sentence("identity"), "the candidate worker: signal 15 (Terminated) in `work`");
}

TEST(RunnerNotItsFault, BaselineCrashes) {
  SimulatedWorkspace lab;
  lab.propose();
  lab.scenario["variants"][kIncumbent] = {{"end_in", "kernel_cases"}, {"end_by", SIGSEGV}};
  lab.save();
  expect_no_attempt(
      lab, {14, "error", {"preflight green", "baseline green", "identity green", "parity error"}});
  EXPECT_EQ(lab.sentence("parity"),
            "the baseline worker: signal 11 (Segmentation fault) in `kernel_cases`");
}

// Another process took the device's memory between two gates, and a worker says so.
TEST(RunnerNotItsFault, NoMemoryForTheCandidate) {
  SimulatedWorkspace lab;
  lab.propose();
  lab.scenario["variants"][kCandidate] = {{"end_in", "load"}, {"end_by", "unfit"}};
  lab.save();
  expect_no_attempt(lab,
                    {13, "invalid", {"preflight green", "baseline green", "identity invalid"}});
  EXPECT_EQ(lab.sentence("identity"),
            "the candidate worker: " + kCandidate + " has no memory to load");
  lab.heal();
  lab.options.until = "margin";
  EXPECT_EQ(lab.run().exit_code, 0);
}

TEST(RunnerNotItsFault, NoMemoryForTheBaseline) {
  SimulatedWorkspace lab;
  lab.propose();
  lab.scenario["variants"][kIncumbent] = {{"end_in", "work"}, {"end_by", "unfit"}};
  lab.save();
  expect_no_attempt(lab, {13, "invalid", {"preflight green", "baseline invalid"}});
  EXPECT_EQ(lab.sentence("baseline"),
            "the baseline worker: " + kIncumbent + " has no memory to work");
}

TEST(RunnerNotItsFault, BaselineFailsInAKernel) {
  SimulatedWorkspace lab;
  lab.propose();
  lab.scenario["variants"][kIncumbent] = {{"end_in", "work"}, {"end_by", "fail"}};
  lab.save();
  expect_no_attempt(lab, {14, "error", {"preflight green", "baseline error"}});
  EXPECT_EQ(lab.sentence("baseline"), "the baseline worker: " + kIncumbent + " fails in work");
}

TEST(RunnerNotItsFault, BaselineHangs) {
  SimulatedWorkspace lab;
  lab.propose();
  lab.options.stall_limit_s = 1;
  lab.scenario["variants"][kIncumbent] = {{"end_in", "work"}, {"end_by", "hang"}};
  lab.save();
  expect_no_attempt(lab, {14, "error", {"preflight green", "baseline error"}});
}

TEST(RunnerNotItsFault, CandidateHangsInLoadUnderAShorterLimitThanTheUsual) {
  SimulatedWorkspace lab;
  lab.propose();
  lab.options.stall_limit_s = 1;
  lab.set(kCandidate, "end_in", "load");
  lab.set(kCandidate, "end_by", "hang");
  expect_no_attempt(lab, {14, "error", {"preflight green", "baseline green", "identity error"}});
  EXPECT_EQ(lab.sentence("identity"),
            "the candidate worker: no progress for 1 s in `load`; to start takes a worker time, "
            "and --stall-limit 1 is below the usual 20: run again without it");
}

TEST(RunnerNotItsFault, BaselineIsNotDeterministic) {
  SimulatedWorkspace lab;
  lab.propose();
  lab.scenario["nondeterministic"] = true;
  lab.save();
  expect_no_attempt(lab, {14, "error", {"preflight green", "baseline error"}});
  EXPECT_EQ(lab.sentence("baseline"),
            "two runs of the arm in service gave different digests: the baseline is not "
            "deterministic");
}

TEST(RunnerNotItsFault, BaselineComputesWithValuesThatAreNotFinite) {
  SimulatedWorkspace lab;
  lab.propose();
  lab.set(kIncumbent, "nonfinite", 2);
  expect_no_attempt(lab, {14, "error", {"preflight green", "baseline error"}});
  EXPECT_EQ(lab.sentence("baseline"),
            "4 activations, cache values or logits of the arm in service were not finite: the "
            "model file or a kernel is wrong");
}

TEST(RunnerNotItsFault, BaselineFallsBack) {
  SimulatedWorkspace lab;
  lab.propose();
  lab.set(kIncumbent, "falls_back_to", "rms_norm.cpu.portable");
  expect_no_attempt(lab, {14, "error", {"preflight green", "baseline green", "identity error"}});
  EXPECT_EQ(lab.sentence("identity"), "the baseline arm did not run as planned: prefill: " +
                                          kIncumbent + " ran 0 times, planned 2");
}

TEST(RunnerNotItsFault, AnchorHasAnotherDigest) {
  SimulatedWorkspace lab;
  lab.propose();
  lab.options.until = "baseline";
  EXPECT_EQ(lab.run().exit_code, 0);
  lab.options.until.clear();
  lab.set(kIncumbent, "bits", "other");
  expect_no_attempt(lab, {14, "error", {"preflight green", "baseline error"}});
}

TEST(RunnerNotItsFault, AnchorTookAnotherTime) {
  SimulatedWorkspace lab;
  lab.scenario["noise"] = 0;
  lab.save();
  lab.propose();
  lab.options.until = "baseline";
  EXPECT_EQ(lab.run().exit_code, 0);
  lab.options.until.clear();
  lab.scenario["base_ns"] = 115000;
  lab.save();
  expect_no_attempt(lab, {13, "invalid", {"preflight green", "baseline invalid"}});
  EXPECT_EQ(lab.sentence("baseline"),
            "the baseline takes 0.115 ms, +15.0 % from its anchor of 0.100 ms: the machine is not "
            "as it was (load, clock, another host?)");
}

// An anchor that was taken on a busy machine must not make every quiet run after it unfit.
TEST(RunnerNotItsFault, FasterBaselineIsAnchoredAnew) {
  SimulatedWorkspace lab;
  lab.scenario["noise"] = 0;
  lab.scenario["base_ns"] = 150000;
  lab.save();
  lab.propose();
  lab.options.until = "baseline";
  EXPECT_EQ(lab.run().exit_code, 0);
  lab.scenario["base_ns"] = 100000;
  lab.save();
  EXPECT_EQ(lab.run().exit_code, 0);
  EXPECT_NE(lab.sentence("baseline").find("faster than its anchor: anchored anew"),
            std::string::npos)
      << lab.sentence("baseline");
  lab.scenario["base_ns"] = 120000;  // slower than the new anchor, faster than the old one
  lab.save();
  EXPECT_EQ(lab.run().exit_code, 13);
}

// The rule on unfit machines, where it is the baseline gate that says so.
TEST(RunnerNotItsFault, TheThirdUnfitBaselineEndsAnAttemptThatHasLooked) {
  SimulatedWorkspace lab;
  lab.scenario["noise"] = 0;
  lab.save();
  lab.propose();
  lab.calibrated();
  lab.set(kCandidate, "factor", 1 / 1.05);  // on the bar: no verdict at the first look
  lab.journal.on_event = [&](const Event& event) {
    if (event.kind == EventKind::kLook) lab.stop = true;
  };
  ASSERT_EQ(lab.run().exit_code, 12);
  lab.stop = false;
  lab.journal.on_event = nullptr;
  lab.scenario["base_ns"] = 115000;
  lab.save();
  const std::string unfit =
      "baseline: the baseline takes 0.115 ms, +15.0 % from its anchor of 0.100 ms: the machine is "
      "not as it was (load, clock, another host?)";
  for (int run = 1; run <= 2; ++run) {
    const RunOutcome outcome = lab.run();
    EXPECT_EQ(outcome.exit_code, 13);
    EXPECT_EQ(outcome.message, unfit);
    EXPECT_EQ(lab.view().attempts.at(0).invalid_runs, run);
    EXPECT_FALSE(lab.view().attempts.at(0).verdict);
  }
  const RunOutcome third = lab.run();
  EXPECT_EQ(third.exit_code, 10);
  EXPECT_EQ(third.message,
            "third run with an unfit environment: " + unfit + "; one attempt is left");
  EXPECT_EQ(lab.gates(), (Lines{"preflight green", "baseline invalid", "behaviour invalid"}));
  const ExperimentView view = lab.view();
  EXPECT_EQ(view.attempts.at(0).verdict->reason, "unproven");
  EXPECT_EQ(view.attempts.at(0).verdict->effect.at("pairs"), 8);
  EXPECT_EQ(recheck_verdicts(view), Lines{});
}

TEST(RunnerNotItsFault, AnAttemptWithoutALookStaysUnusedHoweverOftenTheMachineIsUnfit) {
  SimulatedWorkspace lab;
  lab.scenario["noise"] = 0;
  lab.save();
  lab.propose();
  lab.options.until = "baseline";
  ASSERT_EQ(lab.run().exit_code, 0);
  lab.options.until.clear();
  lab.scenario["base_ns"] = 115000;
  lab.save();
  for (int run = 1; run <= 4; ++run) EXPECT_EQ(lab.run().exit_code, 13) << run;
  EXPECT_EQ(lab.view().used_attempts(), 0);
}

TEST(RunnerNotItsFault, EqualCodeIsNoOp) {
  SimulatedWorkspace lab;
  lab.propose();
  lab.edit_code(kCandidate, sha256_hex(kIncumbent));
  expect_no_attempt(lab, {15, "no-op", {"preflight green"}});
  EXPECT_TRUE(lab.events(EventKind::kAttemptOpened).empty());
}

}  // namespace
}  // namespace assay
