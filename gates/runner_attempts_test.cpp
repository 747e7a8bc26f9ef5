// The stop rule as `run` obeys it: two attempts, red stays red, judged code is not measured again,
// and what uses no attempt.
#include <gtest/gtest.h>
#include <signal.h>

#include <regex>

#include "gates/simulated_workspace.h"

namespace assay {
namespace {

using Lines = std::vector<std::string>;
const std::string kCandidate = SimulatedWorkspace::kCandidate;
const std::string kIncumbent = SimulatedWorkspace::kIncumbent;
const Lines kGreenGates{"preflight green", "baseline green", "identity green", "parity green",
                        "margin green"};

TEST(RunnerAttempts, RedStaysRedThoughEveryGateIsGreenLater) {
  SimulatedWorkspace lab;
  lab.propose();
  lab.calibrated();
  lab.set(kCandidate, "bits", "x");
  EXPECT_EQ(lab.run().exit_code, 10);
  lab.scenario["variants"][kCandidate] = {{"factor", 0.9}};
  lab.save();
  const RunOutcome outcome = lab.run();
  EXPECT_EQ(outcome.exit_code, 10);
  EXPECT_EQ(outcome.outcome, "red");
  EXPECT_EQ(outcome.message,
            "every gate was green this time, but this code was red before, and red stays red");
  EXPECT_EQ(lab.gates(), kGreenGates);
  EXPECT_TRUE(lab.events(EventKind::kSample).empty());
  const ExperimentView view = lab.view();
  EXPECT_EQ(view.used_attempts(), 1);
  EXPECT_EQ(view.attempts.at(0).runs.size(), 2U);
  EXPECT_EQ(view.attempts.at(0).verdict->reason, "identity");
  EXPECT_EQ(lab.events(EventKind::kVerdict).size(), 1U);
}

TEST(RunnerAttempts, RedAgainKeepsTheFirstVerdict) {
  SimulatedWorkspace lab;
  lab.propose();
  lab.set(kCandidate, "bits", "x");
  EXPECT_EQ(lab.run().exit_code, 10);
  lab.scenario["variants"][kCandidate] = {{"guard", "overwritten"}};
  lab.save();
  EXPECT_EQ(lab.run().exit_code, 10);
  const ExperimentView view = lab.view();
  EXPECT_EQ(view.used_attempts(), 1);
  EXPECT_EQ(view.attempts.at(0).verdict->reason, "identity");
}

TEST(RunnerAttempts, OtherCodeIsAttemptTwoAndAThirdIsRefused) {
  SimulatedWorkspace lab;
  lab.propose();
  lab.set(kCandidate, "bits", "x");
  EXPECT_EQ(lab.run().outcome, "red");
  lab.edit_code(kCandidate, "second");
  const RunOutcome second = lab.run();
  EXPECT_EQ(second.exit_code, 10);
  EXPECT_EQ(second.outcome, "reverted");
  EXPECT_TRUE(second.message.ends_with("; the experiment is reverted")) << second.message;
  const ExperimentView view = lab.view();
  EXPECT_EQ(view.state, ExperimentState::kReverted);
  ASSERT_EQ(view.attempts.size(), 2U);
  EXPECT_EQ(view.attempts[1].opened.ordinal, 2);
  EXPECT_EQ(view.attempts[1].opened.code_hashes.at(kCandidate), "second");
  EXPECT_NE(view.attempts[0].opened.fingerprint, view.attempts[1].opened.fingerprint);
  for (const char* code : {"third", "second"}) {
    lab.edit_code(kCandidate, code);
    const RunOutcome refused = lab.run_refused();
    EXPECT_EQ(refused.exit_code, 11) << code;
    EXPECT_EQ(refused.outcome, "refused");
    EXPECT_EQ(refused.message,
              "unroll-two is reverted: two attempts are used, and there is no third");
  }
}

TEST(RunnerAttempts, SourcesOfBothArmsAreStoredWhole) {
  SimulatedWorkspace lab;
  lab.propose();
  lab.set(kCandidate, "bits", "x");
  lab.run();
  const AttemptOpened opened = lab.view().attempts.at(0).opened;
  ASSERT_EQ(opened.sources.size(), 2U);
  for (const std::string& id : {kCandidate, kIncumbent}) {
    EXPECT_EQ(lab.journal.blob(opened.sources.at("sources/" + id + ".cpp")), "// " + id + "\n");
  }
}

TEST(RunnerAttempts, ATimedVerdictIsPrintedAndNothingIsMeasured) {
  SimulatedWorkspace lab;
  lab.propose();
  lab.calibrated();
  lab.set(kCandidate, "factor", 1.1);
  EXPECT_EQ(lab.run().exit_code, 10);
  lab.heal();
  const RunOutcome again = lab.run_refused();
  EXPECT_EQ(again.exit_code, 10);
  EXPECT_EQ(again.outcome, "reverted");
  EXPECT_TRUE(std::regex_match(
      again.message, std::regex("attempt 1 has its verdict already, REVERT\\(slower\\) of 2026-.*Z;"
                                " nothing is measured again")))
      << again.message;
}

TEST(RunnerAttempts, LandedIsPrintedAndOtherCodeIsRefused) {
  SimulatedWorkspace lab;
  lab.propose();
  lab.calibrated();
  lab.set(kCandidate, "factor", 0.9);
  ASSERT_EQ(lab.run().exit_code, 0);
  const RunOutcome again = lab.run_refused();
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_EQ(again.outcome, "landed");
  lab.edit_code(kCandidate, "second");
  const RunOutcome other = lab.run_refused();
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_EQ(other.message,
            "unroll-two has landed, with other code than this (attempt 1: LAND): propose an "
            "experiment of its own for it");
}

TEST(RunnerAttempts, UntilAGateUsesNone) {
  const std::vector<std::pair<std::string, std::size_t>> gates{
      {"preflight", 1}, {"baseline", 2}, {"identity", 3}, {"parity", 4}, {"margin", 5}};
  SimulatedWorkspace lab;
  lab.propose();
  for (const auto& [gate, count] : gates) {
    lab.options.until = gate;
    const RunOutcome outcome = lab.run();
    EXPECT_EQ(outcome.exit_code, 0) << gate;
    EXPECT_EQ(outcome.outcome, "green");
    EXPECT_EQ(outcome.message, "green, as far as it went; no attempt was used");
    EXPECT_EQ(lab.gates(), Lines(kGreenGates.begin(), kGreenGates.begin() + count));
    EXPECT_EQ(lab.view().runs.back().command, "until");
  }
  lab.set(kCandidate, "bits", "x");
  const RunOutcome red = lab.run();
  EXPECT_EQ(red.exit_code, 10);
  EXPECT_EQ(red.outcome, "red");
  EXPECT_EQ(lab.view().state, ExperimentState::kProposed);
  EXPECT_TRUE(lab.view().attempts.empty());
  EXPECT_TRUE(lab.events(EventKind::kVerdict).empty());
}

TEST(RunnerAttempts, PremiseIsParityAloneAndUsesNone) {
  SimulatedWorkspace lab;
  lab.propose();
  lab.options.premise = true;
  lab.set(kCandidate, "bits", "x");  // identity would be red
  EXPECT_EQ(lab.run().exit_code, 0);
  EXPECT_EQ(lab.gates(), (Lines{"preflight green", "parity green"}));
  EXPECT_EQ(lab.view().runs.back().command, "premise");
  lab.set(kCandidate, "case_bits", "x");
  const RunOutcome red = lab.run();
  EXPECT_EQ(red.exit_code, 10);
  EXPECT_EQ(red.message,
            "parity is red: rms_norm outlier: bits differ from in-service " + kIncumbent);
  EXPECT_EQ(lab.gates(), (Lines{"preflight green", "parity red(parity)"}));
  lab.scenario["variants"][kCandidate] = {{"falls_back_to", kIncumbent}};
  lab.save();
  lab.run();
  EXPECT_EQ(lab.gates().back(), "parity red(not-live)");
  EXPECT_EQ(lab.sentence("parity"), "rms_norm mild: " + kCandidate + " ran 0 times, planned 3");
  EXPECT_TRUE(lab.view().attempts.empty());
}

TEST(RunnerAttempts, PreflightLoadsTheModelOnce) {
  SimulatedWorkspace lab;
  lab.propose();
  lab.options.until = "preflight";
  ASSERT_EQ(lab.run().exit_code, 0);
  // Each process counts itself as it starts: one that says hello, one that loads.
  EXPECT_EQ(read_whole(lab.worker() + ".launches"), "2");
}

TEST(RunnerAttempts, ShortRunOfACrashUsesNone) {
  SimulatedWorkspace lab;
  lab.propose();
  lab.options.until = "identity";
  lab.scenario["variants"][kCandidate] = {{"end_in", "work"}, {"end_by", SIGSEGV}};
  lab.save();
  const RunOutcome outcome = lab.run();
  EXPECT_EQ(outcome.exit_code, 10);
  EXPECT_EQ(outcome.message,
            "identity is red (crash): the candidate worker: signal 11 (Segmentation fault) in "
            "`work`");
  EXPECT_TRUE(lab.view().attempts.empty());
}

TEST(RunnerAttempts, UntilWithRedCodeOfAnEarlierAttemptStaysGreen) {
  SimulatedWorkspace lab;
  lab.propose();
  lab.set(kCandidate, "bits", "x");
  lab.run();
  lab.heal();
  lab.options.until = "identity";
  EXPECT_EQ(lab.run().exit_code, 0);
  EXPECT_EQ(lab.view().attempts.at(0).runs.size(), 1U) << "its data is not the attempt's";
}

TEST(RunnerAttempts, CandidateOverrideIsAnotherFingerprintOfTheSameLever) {
  SimulatedWorkspace lab;
  lab.redefine("lever: rms_norm.unroll", "lever: attention_prefill.tkv");
  lab.redefine("candidate: {rms_norm: \"rms_norm.cpu.avx2[unroll=2]\"}",
               "candidate: {attention_prefill: \"attention_prefill.cpu.avx2[tkv=64]\"}");
  lab.propose();
  lab.options.candidate = {{"attention_prefill", SimulatedWorkspace::kTile128}};
  lab.set(SimulatedWorkspace::kTile128, "case_bits", "x");
  const RunOutcome outcome = lab.run();
  EXPECT_EQ(outcome.message,
            "parity is red: attention_prefill outlier: bits differ from in-service "
            "attention_prefill.cpu.avx2[tkv=32]; one attempt is left");
  EXPECT_EQ(lab.view().attempts.at(0).opened.candidate.at("attention_prefill"),
            SimulatedWorkspace::kTile128);
  lab.options.candidate.clear();
  lab.set(SimulatedWorkspace::kTile64, "case_bits", "x");
  EXPECT_EQ(lab.run().outcome, "reverted");
}

TEST(RunnerAttempts, KilledBeforeTheFirstLookUsesNone) {
  struct Killed {};
  SimulatedWorkspace lab;
  lab.propose();
  lab.calibrated();
  int samples = 0;
  lab.journal.on_event = [&](const Event& event) {
    if (event.kind == EventKind::kSample && ++samples == 3) throw Killed();
  };
  EXPECT_THROW(lab.run(), Killed);
  lab.journal.on_event = nullptr;
  EXPECT_EQ(lab.view().used_attempts(), 0);
  EXPECT_FALSE(lab.view().runs.back().ended);
  lab.edit_code(kCandidate, "second");
  lab.set(kCandidate, "bits", "x");
  EXPECT_EQ(lab.run().outcome, "red");
  const ExperimentView view = lab.view();
  EXPECT_EQ(view.used_attempts(), 1);
  EXPECT_EQ(view.attempts.at(0).opened.code_hashes.at(kCandidate), "second");
  EXPECT_EQ(view.attempts.at(0).opened.ordinal, 1);
}

TEST(RunnerAttempts, NewCodeAfterALookMakesTheOlderAttemptUnproven) {
  SimulatedWorkspace lab;
  lab.propose();
  lab.calibrated();
  lab.set(kCandidate, "factor", 1 / 1.05);  // on the bar: the first look cannot tell
  lab.journal.on_event = [&](const Event& event) {
    if (event.kind == EventKind::kLook) lab.stop = true;
  };
  EXPECT_EQ(lab.run().exit_code, 12);
  EXPECT_EQ(lab.view().used_attempts(), 1);
  lab.stop = false;
  lab.journal.on_event = nullptr;
  lab.edit_code(kCandidate, "second");
  lab.scenario["variants"][kCandidate] = {{"bits", "x"}};
  lab.save();
  const RunOutcome outcome = lab.run();
  EXPECT_EQ(outcome.exit_code, 10);
  EXPECT_EQ(outcome.outcome, "reverted");
  const ExperimentView view = lab.view();
  ASSERT_EQ(view.attempts.size(), 2U);
  ASSERT_TRUE(view.attempts[0].verdict);
  EXPECT_EQ(view.attempts[0].verdict->reason, "unproven");
  EXPECT_EQ(view.attempts[1].verdict->reason, "identity");
  EXPECT_EQ(recheck_verdicts(view), Lines{});
}

}  // namespace
}  // namespace assay
