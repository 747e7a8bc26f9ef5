// A run that is stopped, killed or resumed elsewhere: no pair is lost, no look moves.
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "gates/landing.h"
#include "gates/simulated_workspace.h"

namespace assay {
namespace {

using Lines = std::vector<std::string>;
const std::string kCandidate = SimulatedWorkspace::kCandidate;
constexpr double kOnTheBar = 1 / 1.05;

// Stage and pairs of every look in the log.
std::vector<std::pair<std::string, int>> looks(const SimulatedWorkspace& lab) {
  std::vector<std::pair<std::string, int>> all;
  for (const Event& event : lab.events(EventKind::kLook)) {
    all.emplace_back(event.body.at("stage"), event.body.at("pairs"));
  }
  return all;
}

void expect_verdict(const SimulatedWorkspace& lab, const std::string& verdict,
                    const std::string& reason) {
  const ExperimentView view = lab.view();
  ASSERT_EQ(view.used_attempts(), 1);
  ASSERT_TRUE(view.attempts.at(0).verdict);
  EXPECT_EQ(view.attempts.at(0).verdict->verdict, verdict);
  EXPECT_EQ(view.attempts.at(0).verdict->reason, reason);
  EXPECT_EQ(recheck_verdicts(view), Lines{});
}

class RunnerResumed : public testing::Test {
 protected:
  void start(double factor) {
    lab.propose();
    lab.calibrated();
    lab.set(kCandidate, "factor", factor);
  }
  // Calls `then` when the event of this kind is committed for the `count`-th time.
  void on(EventKind kind, int count, std::function<void()> then) {
    lab.journal.on_event = [kind, count, then, seen = 0](const Event& event) mutable {
      if (event.kind == kind && !event.slug.empty() && ++seen == count) then();
    };
  }
  SimulatedWorkspace lab;
};

TEST_F(RunnerResumed, AResumedRunEndsAsAnUninterruptedOne) {
  lab.scenario["noise"] = 0;  // so that the same pairs come out in both
  start(0.9);
  SimulatedWorkspace whole;
  whole.scenario["noise"] = 0;
  whole.propose();
  whole.calibrated();
  whole.set(kCandidate, "factor", 0.9);
  EXPECT_EQ(whole.run().exit_code, 0);

  for (const int samples : {3, 5, 4}) {  // 3, then 8 (the look is taken), then 12: in confirmation
    on(EventKind::kSample, samples, [&] { lab.stop = true; });
    const RunOutcome stopped = lab.run();
    EXPECT_EQ(stopped.exit_code, 12);
    EXPECT_EQ(stopped.outcome, "inconclusive");
    EXPECT_EQ(stopped.message, "stopped before a verdict; run again to go on, pairs are kept");
    EXPECT_EQ(lab.gates().back(), "ab skipped");
    EXPECT_EQ(lab.view().used_attempts(), looks(lab).empty() ? 0 : 1);
    lab.stop = false;
  }
  EXPECT_EQ(lab.events(EventKind::kSample).size(), 12U);
  lab.journal.on_event = nullptr;
  EXPECT_EQ(lab.run().exit_code, 0);

  EXPECT_EQ(looks(lab), looks(whole));
  EXPECT_EQ(lab.events(EventKind::kPlanFrozen).size(), 1U);
  const AttemptView resumed = lab.view().attempts.at(0);
  const AttemptView straight = whole.view().attempts.at(0);
  ASSERT_EQ(resumed.samples.size(), straight.samples.size());
  for (std::size_t i = 0; i < resumed.samples.size(); ++i) {
    EXPECT_EQ(resumed.samples[i].stage, straight.samples[i].stage) << i;
    EXPECT_EQ(resumed.samples[i].ordinal, straight.samples[i].ordinal) << i;
  }
  const nlohmann::json& effect = resumed.verdict->effect;
  EXPECT_EQ(effect.at("pairs"), straight.verdict->effect.at("pairs"));
  EXPECT_NEAR(effect.at("estimate").get<double>(),
              straight.verdict->effect.at("estimate").get<double>(), 1e-12);
  EXPECT_NEAR(effect.at("confirmation").at("low").get<double>(),
              straight.verdict->effect.at("confirmation").at("low").get<double>(), 1e-12);
  expect_verdict(lab, "LAND", "");
}

TEST_F(RunnerResumed, AKilledRunGoesOnWithThePairsThatItCommitted) {
  struct Killed {};
  start(0.9);
  on(EventKind::kSample, 6, [] { throw Killed(); });
  EXPECT_THROW(lab.run(), Killed);
  lab.journal.on_event = nullptr;
  EXPECT_EQ(lab.run().exit_code, 0);
  EXPECT_EQ(lab.events(EventKind::kSample).size(), 16U);
  EXPECT_EQ(looks(lab), (std::vector<std::pair<std::string, int>>{{"ab", 8}, {"confirmation", 8}}));
  expect_verdict(lab, "LAND", "");
}

TEST_F(RunnerResumed, AKillBetweenTheLastSampleAndItsLookMovesNothing) {
  struct Killed {};
  start(0.9);
  on(EventKind::kSample, 8, [] { throw Killed(); });
  EXPECT_THROW(lab.run(), Killed);
  EXPECT_EQ(lab.view().used_attempts(), 0);
  on(EventKind::kLook, 1, [] { throw Killed(); });
  EXPECT_THROW(lab.run(), Killed);
  EXPECT_EQ(lab.view().used_attempts(), 1);
  EXPECT_EQ(lab.events(EventKind::kSample).size(), 8U);
  lab.journal.on_event = nullptr;
  EXPECT_EQ(lab.run().exit_code, 0);
  EXPECT_EQ(looks(lab), (std::vector<std::pair<std::string, int>>{{"ab", 8}, {"confirmation", 8}}));
  expect_verdict(lab, "LAND", "");
}

class RunnerStopped : public RunnerResumed {
 protected:
  // From here on the candidate does not answer, and a moment later somebody wants to stop.
  void hang_and_stop() {
    lab.scenario["variants"][kCandidate] = {{"end_in", "work"}, {"end_by", "hang"}};
    lab.save();
    stop_soon();
  }
  void stop_soon() {
    helper = std::jthread([this] {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      lab.stop = true;
    });
  }
  void expect_stopped(const std::string& gate) {
    const RunOutcome stopped = lab.run();
    EXPECT_EQ(stopped.exit_code, 12);
    EXPECT_EQ(stopped.outcome, "inconclusive");
    EXPECT_EQ(stopped.message, "stopped before a verdict; run again to go on, pairs are kept");
    EXPECT_EQ(lab.gates().back(), gate + " skipped");
    EXPECT_EQ(lab.sentence(gate), "stopped before a verdict");
    EXPECT_EQ(lab.view().runs.back().ended->outcome, "inconclusive");
    EXPECT_EQ(lab.view().used_attempts(), 0);
  }
  void expect_lands() {
    if (helper.joinable()) helper.join();
    lab.stop = false;
    lab.options.time_limit_s.reset();
    lab.journal.on_event = nullptr;
    lab.scenario["variants"][kCandidate] = {{"factor", 0.9}};
    lab.save();
    EXPECT_EQ(lab.run().exit_code, 0);
    EXPECT_EQ(lab.events(EventKind::kSample).size(), 16U);
    expect_verdict(lab, "LAND", "");
  }
  std::jthread helper;
};

TEST_F(RunnerStopped, InAnyGateAtTheNextMessage) {
  const std::vector<std::string> order{"preflight", "baseline", "identity", "parity", "margin"};
  start(0.9);
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    lab.journal.on_event = [&, done = order[i]](const Event& event) {
      if (event.kind == EventKind::kGateResult && event.body.at("gate") == done) lab.stop = true;
    };
    expect_stopped(order[i + 1]);
    lab.stop = false;
  }
  expect_lands();
}

TEST_F(RunnerStopped, WhileAWorkerIsWaitedFor) {
  start(0.9);
  lab.options.stall_limit_s = 600;
  on(EventKind::kAttemptOpened, 1, [&] { hang_and_stop(); });
  expect_stopped("identity");
  expect_lands();
}

TEST_F(RunnerStopped, ByItsTimeLimit) {
  start(0.9);
  lab.options.stall_limit_s = 600;
  lab.options.time_limit_s = 2;
  lab.scenario["variants"][kCandidate] = {{"end_in", "kernel_cases"}, {"end_by", "hang"}};
  lab.save();
  const RunOutcome stopped = lab.run();
  EXPECT_EQ(stopped.exit_code, 12);
  EXPECT_EQ(stopped.message, "stopped before a verdict; run again to go on, pairs are kept");
  expect_lands();
}

TEST_F(RunnerStopped, WithinAPairWhichIsThenNone) {
  start(0.9);
  on(EventKind::kSample, 3, [&] { hang_and_stop(); });
  lab.options.stall_limit_s = 600;
  expect_stopped("ab");
  EXPECT_EQ(lab.events(EventKind::kSample).size(), 3U);
  expect_lands();
}

TEST_F(RunnerStopped, WhileTheMachineSettles) {
  lab.scenario["noise"] = 0;
  start(0.9);
  lab.options.until = "baseline";
  ASSERT_EQ(lab.run().exit_code, 0);
  lab.options.until.clear();
  lab.scenario["base_ns"] = 115000;
  lab.save();
  lab.options.settle_s = 600;
  on(EventKind::kAttemptOpened, 1, [&] { stop_soon(); });
  expect_stopped("baseline");
}

TEST_F(RunnerStopped, BeforeARunIsOpenedNothingIsRecorded) {
  start(0.9);
  lab.stop = true;
  const RunOutcome refused = lab.run_refused();
  EXPECT_EQ(refused.exit_code, 12);
  EXPECT_EQ(refused.message, "stopped in `hello`; run again to go on");
}

TEST_F(RunnerStopped, AfterAVerdictOnlyTheBehaviourCheckIsLeftOut) {
  start(0.9);
  lab.set(kCandidate, "bits", "x");
  on(EventKind::kVerdict, 1, [&] { lab.stop = true; });
  EXPECT_EQ(lab.run().exit_code, 10);
  EXPECT_EQ(lab.gates().back(), "behaviour skipped");
  expect_verdict(lab, "REVERT", "identity");
}

TEST_F(RunnerResumed, AKillAfterAnyOtherEventLosesNothing) {
  struct Killed {};
  for (const EventKind kind : {EventKind::kRunOpened, EventKind::kGateResult,
                               EventKind::kAttemptOpened, EventKind::kPlanFrozen}) {
    SimulatedWorkspace other;
    other.propose();
    other.calibrated();
    other.set(kCandidate, "factor", 0.9);
    other.journal.on_event = [kind](const Event& event) {
      if (event.kind == kind) throw Killed();
    };
    EXPECT_THROW(other.run(), Killed) << to_string(kind);
    other.journal.on_event = nullptr;
    EXPECT_EQ(other.view().used_attempts(), 0) << to_string(kind);
    EXPECT_EQ(other.run().exit_code, 0) << to_string(kind);
    EXPECT_EQ(other.events(EventKind::kSample).size(), 16U) << to_string(kind);
    EXPECT_EQ(other.events(EventKind::kPlanFrozen).size(), 1U) << to_string(kind);
    expect_verdict(other, "LAND", "");
  }
}

TEST_F(RunnerResumed, AKillAfterTheVerdictLeavesItAndItsIntent) {
  struct Killed {};
  start(0.9);
  on(EventKind::kVerdict, 1, [] { throw Killed(); });
  EXPECT_THROW(lab.run(), Killed);
  lab.journal.on_event = nullptr;
  const std::vector<OpenIntent> intents = open_intents(lab.journal);
  ASSERT_EQ(intents.size(), 1U);
  apply_intent(intents[0], lab.path(), lab.journal);
  EXPECT_EQ(lab.view().state, ExperimentState::kLanded);
  EXPECT_TRUE(lab.view().runs.back().ended);
  EXPECT_NE(lab.service_map().find(kCandidate), std::string::npos);
}

// Another build of the worker: the same engine, but pairs of two environments are never pooled.
class RunnerElsewhere : public RunnerResumed {
 protected:
  void rebuild_worker() {
    std::ofstream(lab.worker(), std::ios::binary | std::ios::app) << "another build";
    lab.manifest.worker_sha256 = sha256_file(lab.worker());
    lab.save();
  }
  void stop_after(EventKind kind, int count) {
    on(kind, count, [&] { lab.stop = true; });
    EXPECT_EQ(lab.run().exit_code, 12);
    lab.stop = false;
    lab.journal.on_event = nullptr;
  }
};

TEST_F(RunnerElsewhere, BeforeALookItStartsOver) {
  start(0.9);
  stop_after(EventKind::kSample, 5);
  rebuild_worker();
  EXPECT_EQ(lab.run().exit_code, 0);
  EXPECT_EQ(lab.events(EventKind::kSample).size(), 5U + 16U);
  EXPECT_EQ(looks(lab), (std::vector<std::pair<std::string, int>>{{"ab", 8}, {"confirmation", 8}}));
  expect_verdict(lab, "LAND", "");
}

TEST_F(RunnerElsewhere, AfterALookItIsUnproven) {
  start(kOnTheBar);
  stop_after(EventKind::kLook, 1);
  rebuild_worker();
  const RunOutcome outcome = lab.run();
  EXPECT_EQ(outcome.exit_code, 10);
  EXPECT_EQ(outcome.message,
            "REVERT(unproven): the environment changed after a look; one attempt is left");
  expect_verdict(lab, "REVERT", "unproven");
}

}  // namespace
}  // namespace assay
