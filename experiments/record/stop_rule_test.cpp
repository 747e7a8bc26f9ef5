// The stop rule: the table of outcomes, row by row.
#include <gtest/gtest.h>

#include "experiments/record/log_for_tests.h"
#include "experiments/record/view.h"

namespace assay {
namespace {

// The admission's kind and ordinal, to compare both at once.
std::pair<Admission, int> asked(const Log& log, const std::string& fingerprint) {
  const AdmissionResult result = admit(log.view(), fingerprint);
  return {result.admission, result.ordinal};
}
using Answer = std::pair<Admission, int>;

TEST(StopRule, AProposalAdmitsAnyFingerprintAsAttemptOne) {
  const Log log = proposed();
  EXPECT_EQ(log.view().state, ExperimentState::kProposed);
  EXPECT_EQ(asked(log, "F"), Answer(Admission::kNew, 1));
  EXPECT_EQ(admit(log.view(), "F").why, "attempt 1 of 2");
}

// Row: red at identity, parity, margin or resources; candidate crashes or hangs.
TEST(StopRule, RedUsesTheAttemptAndTheSameCodeMayRunAgain) {
  for (const char* reason :
       {"identity", "parity", "margin", "not-live", "resources", "race", "crash", "hang"}) {
    Log log = proposed();
    log.revert("F", reason);
    EXPECT_EQ(log.view().state, ExperimentState::kOpen) << reason;
    EXPECT_EQ(log.view().used_attempts(), 1) << reason;
    EXPECT_EQ(asked(log, "F"), Answer(Admission::kRedAgain, 1)) << reason;
    EXPECT_EQ(asked(log, "G"), Answer(Admission::kNew, 2)) << reason;
  }
}

TEST(StopRule, RedStaysRedWhateverALaterRunSays) {
  Log log = proposed();
  log.revert("F", "identity");
  log.start("F");
  log.gate("identity", "green");
  log.sample(0);
  log.verdict(1, "LAND", "");
  log.end("landed", 0);
  const ExperimentView view = log.view();
  EXPECT_EQ(view.state, ExperimentState::kOpen);
  ASSERT_EQ(view.attempts.size(), 1u);
  EXPECT_EQ(view.attempts[0].verdict->reason, "identity");
  EXPECT_EQ(view.attempts[0].runs, (std::vector<std::string>{"run2", "run3"}));
  EXPECT_EQ(view.attempts[0].gates.size(), 3u);  // its data is added: preflight twice, identity
  EXPECT_EQ(view.attempts[0].samples.size(), 1u);
  EXPECT_EQ(view.attempts[0].verdict_run, "run2");
}

TEST(StopRule, TwoRedAttemptsRevertTheExperiment) {
  Log log = proposed();
  log.revert("F", "identity");
  log.revert("G", "crash");
  EXPECT_EQ(log.view().state, ExperimentState::kReverted);
  for (const char* fingerprint : {"F", "G", "H"}) {
    EXPECT_EQ(asked(log, fingerprint), Answer(Admission::kStopped, 0)) << fingerprint;
  }
  EXPECT_EQ(admit(log.view(), "H").why,
            "my-lever is reverted, and the two-attempt rule allows no third (attempt 1: REVERT "
            "identity; attempt 2: REVERT crash); nothing measures it again");
}

// Row: slower, no-gain, guard, unproven.
TEST(StopRule, ATimedRevertPrintsItsVerdictAndMeasuresNothing) {
  for (const char* reason : {"slower", "no-gain", "guard", "unproven"}) {
    Log log = proposed();
    log.revert("F", reason);
    EXPECT_EQ(log.view().state, ExperimentState::kOpen) << reason;
    EXPECT_EQ(asked(log, "F"), Answer(Admission::kVerdict, 1)) << reason;
    EXPECT_EQ(asked(log, "G"), Answer(Admission::kNew, 2)) << reason;
    log.revert("G", reason);
    EXPECT_EQ(log.view().state, ExperimentState::kReverted) << reason;
    EXPECT_EQ(asked(log, "F"), Answer(Admission::kStopped, 0)) << reason;
  }
}

// Row: LAND.
TEST(StopRule, ALandPrintsItsVerdict) {
  Log log = proposed();
  log.revert("F", "no-gain");
  log.start("G");
  log.look(16);
  log.verdict(2, "LAND", "");
  log.add(EventKind::kApplied, Applied{"experiments/in_service.yaml", ""});
  log.end("landed", 0);
  const ExperimentView view = log.view();
  EXPECT_EQ(view.state, ExperimentState::kLanded);
  EXPECT_TRUE(view.applied);
  EXPECT_EQ(view.judged()->opened.fingerprint, "G");
  EXPECT_EQ(asked(log, "G"), Answer(Admission::kVerdict, 2));
  EXPECT_EQ(asked(log, "F"), Answer(Admission::kVerdict, 1));
}

TEST(StopRule, AfterALandOtherCodeIsAnotherExperiment) {
  Log log = proposed();
  log.start("F");
  log.verdict(1, "LAND", "");
  log.end("landed", 0);
  EXPECT_FALSE(log.view().applied);
  EXPECT_EQ(asked(log, "G"), Answer(Admission::kFinished, 0));
  EXPECT_EQ(
      admit(log.view(), "G").why,
      "my-lever has landed, with other code than this (attempt 1: LAND): propose an experiment "
      "of its own for it");
}

// Row: stopped early, or NO POWER.
TEST(StopRule, StoppedBeforeTheFirstLookUsesNothing) {
  Log log = proposed();
  log.start("F");
  log.sample(0);
  log.end("inconclusive", 12);
  EXPECT_EQ(log.view().state, ExperimentState::kProposed);
  EXPECT_EQ(log.view().used_attempts(), 0);
  EXPECT_EQ(asked(log, "F"), Answer(Admission::kResume, 1));
  EXPECT_EQ(asked(log, "G"), Answer(Admission::kNew, 1));
}

TEST(StopRule, StoppedAfterTheFirstLookGoesOnAndPoolsItsPairs) {
  Log log = proposed();
  log.start("F");
  log.add(EventKind::kPlanFrozen, {{"n_max", 16}});
  log.sample(0);
  log.sample(1);
  log.look(2);
  log.end("inconclusive", 12);
  EXPECT_EQ(log.view().state, ExperimentState::kOpen);
  EXPECT_EQ(asked(log, "F"), Answer(Admission::kResume, 1));
  EXPECT_EQ(asked(log, "G"), Answer(Admission::kNew, 2));
  log.start("F");
  log.add(EventKind::kPlanFrozen, {{"n_max", 99}});
  log.sample(2);
  log.look(3);
  const ExperimentView view = log.view();
  ASSERT_EQ(view.attempts.size(), 1u);
  const AttemptView& attempt = view.attempts[0];
  ASSERT_EQ(attempt.samples.size(), 3u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(attempt.samples[static_cast<std::size_t>(i)].ordinal, i);
  ASSERT_EQ(attempt.looks.size(), 2u);
  EXPECT_EQ(attempt.looks[1].pairs, 3);
  EXPECT_EQ(*attempt.plan, nlohmann::json({{"n_max", 16}}));  // frozen with the first sample
}

TEST(StopRule, ALookAtAnotherStageUsesNothing) {
  Log log = proposed();
  log.start("F");
  log.add(EventKind::kLook, Look{"guard:0", 4, nullptr});
  EXPECT_EQ(log.view().used_attempts(), 0);
  EXPECT_EQ(log.view().attempts[0].looks.size(), 1u);
}

// Row: looks exhausted; third INVALID. The runner writes `unproven`; the count is what it needs.
TEST(StopRule, InvalidRunsAreCountedPerAttempt) {
  Log log = proposed();
  for (int i = 0; i < 3; ++i) {
    log.start("F");
    if (i > 0) log.look(8);
    log.end("invalid", 13);
  }
  EXPECT_EQ(log.view().attempts[0].invalid_runs, 3);
  EXPECT_EQ(asked(log, "F"), Answer(Admission::kResume, 1));
  log.revert("F", "unproven");
  EXPECT_EQ(log.view().state, ExperimentState::kOpen);
  EXPECT_EQ(asked(log, "F"), Answer(Admission::kVerdict, 1));
}

// Row: baseline red, runner or probe fails.
TEST(StopRule, ABaselineFailureUsesTheAttemptOnlyAfterALook) {
  for (const bool looked : {false, true}) {
    Log log = proposed();
    log.start("F");
    log.sample(0);
    if (looked) log.look(1);
    log.gate("baseline", "red");
    log.end("error", 14);
    EXPECT_EQ(log.view().used_attempts(), looked ? 1 : 0);
    EXPECT_EQ(log.view().state, looked ? ExperimentState::kOpen : ExperimentState::kProposed);
    EXPECT_EQ(asked(log, "F"), Answer(Admission::kResume, 1));
    EXPECT_EQ(log.view().attempts[0].samples.size(), 1u);  // samples stay in the sequence
  }
}

// Row: killed from outside.
TEST(StopRule, AKilledRunHasNoEndAndGoesOn) {
  Log log = proposed();
  log.start("F");
  log.sample(0);
  log.look(1);
  const ExperimentView view = log.view();
  EXPECT_FALSE(view.runs[1].ended.has_value());
  EXPECT_EQ(view.runs[1].attempt, 1);
  EXPECT_EQ(view.state, ExperimentState::kOpen);
  EXPECT_EQ(asked(log, "F"), Answer(Admission::kResume, 1));
}

// Row: preflight refuses; class or code not built here.
TEST(StopRule, ARefusedRunOpensNoAttempt) {
  Log log = proposed();
  log.open("run");
  log.gate("preflight", "red");
  log.end("refused", 2);
  EXPECT_EQ(log.view().state, ExperimentState::kProposed);
  EXPECT_TRUE(log.view().attempts.empty());
  EXPECT_EQ(log.view().runs[1].gates.size(), 1u);
  EXPECT_EQ(asked(log, "F"), Answer(Admission::kNew, 1));
}

// Row: environment unfit; no-op.
TEST(StopRule, UnfitOrNoOpUsesNothingBeforeALook) {
  for (const auto& [outcome, code] : {std::pair{"invalid", 13}, std::pair{"no-op", 15}}) {
    Log log = proposed();
    log.open("run");
    log.gate("preflight", "green");
    log.end(outcome, code);
    EXPECT_EQ(log.view().state, ExperimentState::kProposed) << outcome;
    EXPECT_EQ(asked(log, "F"), Answer(Admission::kNew, 1)) << outcome;
  }
}

// Row: experiment reverted by `close --as reverted`.
TEST(StopRule, ClosingAsRevertedGivesUpTheSecondAttempt) {
  Log log = proposed();
  log.revert("F", "no-gain");
  log.close("reverted");
  EXPECT_EQ(log.view().state, ExperimentState::kReverted);
  EXPECT_EQ(asked(log, "F"), Answer(Admission::kStopped, 0));
  EXPECT_EQ(asked(log, "G"), Answer(Admission::kStopped, 0));
  EXPECT_EQ(admit(log.view(), "G").why,
            "my-lever was closed as reverted (no card for it); nothing measures it again");
}

// Row: closed, measured, unreached, never proposed.
TEST(StopRule, FinishedExperimentsAreNotRun) {
  for (const auto& [as, state] : {std::pair{"closed", ExperimentState::kClosed},
                                  std::pair{"measured", ExperimentState::kMeasured},
                                  std::pair{"unreached", ExperimentState::kUnreached}}) {
    Log log = proposed();
    log.close(as);
    EXPECT_EQ(log.view().state, state);
    EXPECT_EQ(to_string(state), as);
    EXPECT_EQ(asked(log, "F"), Answer(Admission::kFinished, 0));
    EXPECT_EQ(admit(log.view(), "F").why,
              std::string("my-lever is ") + as + " (no card for it) and is not run any more");
  }
  EXPECT_EQ(admit(fold({}), "F").admission, Admission::kFinished);
  EXPECT_EQ(admit(fold({}), "F").why, "never proposed: `assay propose FILE` comes first");
}

TEST(StopRule, ClosingDoesNotUndoAVerdict) {
  Log reverted = proposed();
  reverted.revert("F", "slower");
  reverted.revert("G", "slower");
  reverted.close("measured");
  EXPECT_EQ(reverted.view().state, ExperimentState::kReverted);
  Log landed = proposed();
  landed.start("F");
  landed.verdict(1, "LAND", "");
  landed.end("landed", 0);
  landed.close("reverted");
  EXPECT_EQ(landed.view().state, ExperimentState::kLanded);
}

// `--until`, `--premise` and `reproduce` use no attempt, and what they measure is never pooled.
TEST(StopRule, SideCommandsAddNothingToAnAttempt) {
  for (const char* command : {"until", "premise", "reproduce"}) {
    Log log = proposed();
    log.revert("F", "no-gain");
    log.open(command);
    AttemptOpened opened;
    opened.ordinal = 1;
    opened.fingerprint = "F";
    log.add(EventKind::kAttemptOpened, opened);
    log.gate("identity", "red");
    log.sample(0);
    log.look(1);
    log.end("red", 10);
    const ExperimentView view = log.view();
    EXPECT_EQ(view.attempts[0].runs.size(), 1u) << command;
    EXPECT_TRUE(view.attempts[0].samples.empty()) << command;
    EXPECT_TRUE(view.attempts[0].looks.empty()) << command;
    EXPECT_EQ(view.runs[2].gates.size(), 1u) << command;
    EXPECT_EQ(view.runs[2].attempt, 0) << command;
  }
}

}  // namespace
}  // namespace assay
