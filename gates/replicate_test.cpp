// An attempt with a verdict, run again on simulated workers.
#include "gates/replicate.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "gates/history_faults.h"
#include "gates/simulated_workspace.h"

namespace assay {
namespace {

class ReplicateTest : public ::testing::Test {
 protected:
  // The first run of the experiment, on a candidate that takes `factor` of the incumbent's time.
  void judged(double factor) {
    lab.set(SimulatedWorkspace::kCandidate, "factor", factor);
    lab.propose();
    lab.calibrated();
    lab.run();
    before = read_whole(lab.service_path());
  }
  RunOutcome again() {
    const Replicated replicated = replicated_attempt(lab.view(), 0);
    const ReplicationWorkspace scratch(replicated, before, "in_service.yaml", "cpu-avx2",
                                       lab.path());
    RunContext context = lab.context();
    context.workspace = scratch.path();
    return run_replication(replicated, {.how = "as-built", .same_code = true, .run = lab.options},
                           context);
  }

  SimulatedWorkspace lab;
  std::string before;
};

TEST_F(ReplicateTest, ARevertedExperimentRunsAgainAndStaysWhatItIs) {
  judged(1.0);
  const ExperimentView first = lab.view();
  ASSERT_TRUE(first.attempts[0].verdict);
  ASSERT_EQ(first.attempts[0].verdict->reason, "no-gain");
  const RunOutcome outcome = again();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.message;
  EXPECT_EQ(outcome.outcome, "agrees");
  const ExperimentView second = lab.view();
  EXPECT_EQ(second.attempts.size(), 1u);
  EXPECT_EQ(second.attempts[0].samples.size(), first.attempts[0].samples.size());
  EXPECT_EQ(second.attempts[0].looks.size(), first.attempts[0].looks.size());
  EXPECT_EQ(second.state, first.state);
  const std::vector<Replication> all = replications(second);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_TRUE(all[0].again.timed());
  EXPECT_EQ(all[0].again.verdict, "REVERT");
  EXPECT_EQ(read_whole(lab.service_path()), before);
  EXPECT_EQ(history_faults(lab.journal.events(SimulatedWorkspace::kSlug)),
            std::vector<std::string>());
}

TEST_F(ReplicateTest, CodeThatGotSlowerDoesNotAgree) {
  judged(1.0);
  lab.set(SimulatedWorkspace::kCandidate, "factor", 1.3);
  const RunOutcome outcome = again();
  EXPECT_EQ(outcome.exit_code, 10) << outcome.message;
  EXPECT_EQ(outcome.outcome, "disagrees");
  EXPECT_TRUE(outcome.message.ends_with(": does not agree")) << outcome.message;
}

// A LAND has changed the map: what was in service then serves in the replication.
TEST_F(ReplicateTest, ALandRunsAgainstWhatWasInServiceThen) {
  judged(0.8);
  ASSERT_EQ(lab.view().attempts[0].verdict->verdict, "LAND");
  const RunOutcome outcome = again();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.message;
  EXPECT_EQ(outcome.outcome, "agrees");
  EXPECT_EQ(lab.view().attempts[0].samples.size(),
            replicated_attempt(lab.view(), 0).attempt.samples.size());
}

TEST_F(ReplicateTest, EditedSamplesOfAReplicationAreFound) {
  judged(1.0);
  again();
  std::vector<Event> events = lab.journal.events(SimulatedWorkspace::kSlug);
  for (auto event = events.rbegin(); event != events.rend(); ++event) {
    if (event->kind != EventKind::kSample) continue;
    event->body["worker_ns"][0] = 2 * event->body["worker_ns"][0].get<std::int64_t>();
    break;
  }
  const std::vector<std::string> faults = replication_faults(events);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_TRUE(
      faults[0].ends_with(": the effect of this replication does not follow from its samples"))
      << faults[0];
}

TEST_F(ReplicateTest, WithoutAVerdictThereIsNothingToHoldItAgainst) {
  lab.propose();
  try {
    replicated_attempt(lab.view(), 0);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "unroll-two is proposed and has no verdict that could be reproduced: `assay run "
                 "unroll-two` gives it one");
  }
  try {
    replicated_attempt(lab.view(), 2);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "unroll-two has no attempt 2 with a verdict: `assay show unroll-two` shows those "
                 "there are");
  }
}

TEST_F(ReplicateTest, OtherCodeIsNamed) {
  judged(1.0);
  const Replicated replicated = replicated_attempt(lab.view(), 0);
  EXPECT_TRUE(other_code(replicated, lab.worker()).empty());
  lab.edit_code(SimulatedWorkspace::kCandidate, std::string(64, 'a'));
  const std::vector<std::string> other = other_code(replicated, lab.worker());
  ASSERT_EQ(other.size(), 1u);
  EXPECT_TRUE(other[0].starts_with("rms_norm.cpu.avx2[unroll=2] is aaaaaaaaaaaa here, "))
      << other[0];
}

}  // namespace
}  // namespace assay
