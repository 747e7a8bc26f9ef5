// The A/B from the runner's side: every timed verdict, what a stop or a kill leaves behind, and
// what spoils a measurement. Times are simulated, so each verdict is the same on every machine.
#include <gtest/gtest.h>
#include <signal.h>

#include <cmath>
#include <regex>

#include "experiments/service_map.h"
#include "gates/gate_ab.h"
#include "gates/landing.h"
#include "gates/segment_tags.h"
#include "gates/simulated_workspace.h"
#include "gates/statistics/plan_simulation.h"

namespace assay {
namespace {

using Lines = std::vector<std::string>;
const std::string kCandidate = SimulatedWorkspace::kCandidate;
const std::string kIncumbent = SimulatedWorkspace::kIncumbent;
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

class RunnerTimed : public testing::Test {
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

TEST_F(RunnerTimed, LandsAndChangesItsRowOnly) {
  const std::string before = lab.service_map();
  start(0.9);
  const RunOutcome outcome = lab.run();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.message;
  EXPECT_EQ(outcome.outcome, "landed");
  EXPECT_TRUE(std::regex_match(outcome.message, std::regex("LAND: confirmed \\+1[01]\\.\\d\\d %")))
      << outcome.message;
  EXPECT_EQ(lab.gates(), (Lines{"preflight green", "baseline green", "identity green",
                                "parity green", "margin green", "ab green"}));
  EXPECT_EQ(looks(lab), (std::vector<std::pair<std::string, int>>{{"ab", 8}, {"confirmation", 8}}));
  EXPECT_EQ(lab.events(EventKind::kSample).size(), 16U);
  expect_verdict(lab, "LAND", "");
  const nlohmann::json values = lab.view().attempts.at(0).gates.back().result.values;
  EXPECT_EQ(values.at("carry_over").at("pairs"), 8);  // of the A/B; the confirmation is not in it
  // The order of arms is drawn anew for each run, so one in a thousand is tagged by chance.
  EXPECT_EQ(values.at("carry_over"),
            segment_tags(lab.view().attempts.at(0).samples).at("carry_over"));
  EXPECT_FALSE(values.contains("clock_mediated"));  // a CPU counts no cycles
  // The same again from what is stored.
  const AttemptView landed = lab.view().attempts.at(0);
  EXPECT_EQ(values.at("selection"),
            nlohmann::json(selection_inflation(landed.plan->at("plan").get<AbPlan>(),
                                               landed.looks.at(0).values.at("pair_sd"),
                                               landed.looks.at(1).values.at("estimate"))));
  EXPECT_GT(values.at("selection").at("lands"), 0.5);
  // Until its intent is applied, the file is as it was and the run is open.
  EXPECT_EQ(lab.service_map(), before);
  EXPECT_FALSE(lab.view().runs.back().ended);
  const std::vector<OpenIntent> intents = open_intents(lab.journal);
  ASSERT_EQ(intents.size(), 1U);
  EXPECT_EQ(intents[0].slug, "unroll-two");
  EXPECT_EQ(intents[0].run, outcome.run);
  EXPECT_EQ(intents[0].intent.path, "experiments/in_service.yaml");
  apply_intent(intents[0], lab.path(), lab.journal);
  ServiceMap expected = parse_service_map(before, "before");
  expected.devices.at("cpu-avx2").at("rms_norm").at(0).row.variant = kCandidate;
  expected.devices.at("cpu-avx2").at("rms_norm").at(0).by = "unroll-two";
  EXPECT_EQ(lab.service_map(), emit(expected));
  EXPECT_TRUE(open_intents(lab.journal).empty());
  const ExperimentView view = lab.view();
  EXPECT_TRUE(view.applied);
  EXPECT_EQ(view.runs.back().ended->outcome, "landed");
  EXPECT_EQ(view.runs.back().ended->exit_code, 0);
}

TEST_F(RunnerTimed, PlanIsFrozenBeforeTheFirstSample) {
  start(0.9);
  lab.run();
  int plan = -1;
  int sample = -1;
  for (const Event& event : lab.journal.events("unroll-two")) {
    if (event.kind == EventKind::kPlanFrozen && plan < 0) plan = event.index;
    if (event.kind == EventKind::kSample && sample < 0) sample = event.index;
  }
  EXPECT_GE(plan, 0);
  EXPECT_GT(sample, plan);
  const AbPlan frozen = lab.view().attempts.at(0).plan->at("plan").get<AbPlan>();
  EXPECT_EQ(frozen.bar, 0.05);
  EXPECT_EQ(frozen.aa.size(), 20U);
  EXPECT_EQ(frozen.workload,
            nlohmann::json({{"describe", "embedded prefill tokens=16 threads=1"}, {"repeats", 2}}));
}

TEST_F(RunnerTimed, NoGain) {
  start(1.0);
  const RunOutcome outcome = lab.run();
  EXPECT_EQ(outcome.exit_code, 10);
  EXPECT_EQ(outcome.outcome, "red");
  EXPECT_TRUE(std::regex_match(
      outcome.message,
      std::regex("REVERT\\(no-gain\\): [+-]0\\.\\d\\d % \\[-\\d\\.\\d\\d %, \\+\\d\\.\\d\\d %\\] "
                 "after 8 pairs; one attempt is left")))
      << outcome.message;
  EXPECT_EQ(lab.gates().back(), "behaviour green");
  EXPECT_EQ(lab.gates().at(5), "ab red(no-gain)");
  EXPECT_EQ(lab.events(EventKind::kSample).size(), 8U);
  expect_verdict(lab, "REVERT", "no-gain");
}

TEST_F(RunnerTimed, Slower) {
  start(1.1);
  EXPECT_EQ(lab.run().exit_code, 10);
  EXPECT_EQ(lab.gates().at(5), "ab red(slower)");
  expect_verdict(lab, "REVERT", "slower");
  EXPECT_LT(lab.view().attempts.at(0).verdict->effect.at("high"), 0);
}

TEST_F(RunnerTimed, UnprovenWhenLooksAreExhausted) {
  start(kOnTheBar);
  const RunOutcome outcome = lab.run();
  EXPECT_EQ(outcome.exit_code, 10);
  EXPECT_EQ(outcome.message,
            "REVERT(unproven): no verdict after all 16 pairs; one attempt is left");
  EXPECT_EQ(looks(lab),
            (std::vector<std::pair<std::string, int>>{{"ab", 8}, {"ab", 12}, {"ab", 16}}));
  EXPECT_EQ(lab.events(EventKind::kSample).size(), 16U);
  expect_verdict(lab, "REVERT", "unproven");
}

TEST_F(RunnerTimed, UnprovenWhenConfirmationFails) {
  start(0.9);
  on(EventKind::kLook, 1, [&] { lab.heal(); });  // the gain is gone in the fresh pairs
  const RunOutcome outcome = lab.run();
  EXPECT_EQ(outcome.exit_code, 10);
  EXPECT_TRUE(std::regex_match(
      outcome.message, std::regex("REVERT\\(unproven\\): confirmation failed: [+-]0\\.\\d\\d % "
                                  "\\[.*\\] in 8 fresh pairs; one attempt is left")))
      << outcome.message;
  EXPECT_EQ(looks(lab), (std::vector<std::pair<std::string, int>>{{"ab", 8}, {"confirmation", 8}}));
  expect_verdict(lab, "REVERT", "unproven");
}

TEST_F(RunnerTimed, GuardLoses) {
  lab.redefine("guards: []",
               "guards: [{model: embedded, phase: decode, depth: 8, steps: 8, threads: 1}]");
  lab.redefine("bar: 5%", "bar: 5%\nguard_margin: 2%");
  start(0.9);
  lab.set(kCandidate, "decode_factor", 1.2);
  const RunOutcome outcome = lab.run();
  EXPECT_EQ(outcome.exit_code, 10);
  EXPECT_EQ(outcome.message, "REVERT(guard): guard 0 loses more than 2.00 %; one attempt is left");
  EXPECT_EQ(looks(lab), (std::vector<std::pair<std::string, int>>{{"ab", 8}, {"guard:0", 8}}));
  EXPECT_EQ(lab.events(EventKind::kSample).size(), 16U) << "each pair measures both workloads";
  expect_verdict(lab, "REVERT", "guard");
}

TEST_F(RunnerTimed, GuardThatHoldsLetsItLand) {
  lab.redefine("guards: []",
               "guards: [{model: embedded, phase: decode, depth: 8, steps: 8, threads: 1}]");
  lab.redefine("bar: 5%", "bar: 5%\nguard_margin: 2%");
  start(0.9);
  lab.set(kCandidate, "decode_factor", 1.0);
  EXPECT_EQ(lab.run().exit_code, 0);
  EXPECT_EQ(looks(lab), (std::vector<std::pair<std::string, int>>{
                            {"ab", 8}, {"guard:0", 8}, {"confirmation", 8}}));
  expect_verdict(lab, "LAND", "");
}

TEST_F(RunnerTimed, SegmentWithAnotherDigestIsRed) {
  start(0.9);
  on(EventKind::kSample, 2, [&] { lab.set(kCandidate, "bits", "drifted"); });
  const RunOutcome outcome = lab.run();
  EXPECT_EQ(outcome.exit_code, 10);
  EXPECT_TRUE(std::regex_match(
      outcome.message,
      std::regex("ab is red \\(identity\\): a timed segment of the candidate produced digest "
                 "[0-9a-f]{32} instead of [0-9a-f]{32}; one attempt is left")))
      << outcome.message;
  EXPECT_EQ(lab.events(EventKind::kSample).size(), 2U);
  expect_verdict(lab, "REVERT", "identity");
}

TEST_F(RunnerTimed, SegmentOnAnotherVariantIsNotLive) {
  start(0.9);
  on(EventKind::kSample, 2, [&] { lab.set(kCandidate, "falls_back_to", kIncumbent); });
  const RunOutcome outcome = lab.run();
  EXPECT_EQ(outcome.exit_code, 10);
  EXPECT_EQ(outcome.message, "ab is red (not-live): in a timed segment: prefill: " + kCandidate +
                                 " ran 0 times, planned 2; one attempt is left");
  expect_verdict(lab, "REVERT", "not-live");
}

TEST_F(RunnerTimed, CandidateThatCrashesWhileTimedIsRed) {
  start(0.9);
  on(EventKind::kSample, 9, [&] {
    lab.scenario["variants"][kCandidate] = {{"end_in", "work"}, {"end_by", SIGSEGV}};
    lab.save();
  });
  EXPECT_EQ(lab.run().exit_code, 10);
  EXPECT_EQ(lab.gates().at(5), "ab red(crash)");
  expect_verdict(lab, "REVERT", "crash");
}

TEST_F(RunnerTimed, BaselineThatDriftsWhileTimedIsAnError) {
  start(0.9);
  on(EventKind::kSample, 9, [&] { lab.set(kIncumbent, "bits", "drifted"); });
  const RunOutcome outcome = lab.run();
  EXPECT_EQ(outcome.exit_code, 14);
  EXPECT_EQ(outcome.outcome, "error");
  EXPECT_EQ(lab.gates().back(), "ab error");
  const ExperimentView view = lab.view();
  EXPECT_EQ(view.used_attempts(), 1) << "its first look was taken";
  EXPECT_FALSE(view.attempts.at(0).verdict);
  lab.heal();
  lab.set(kCandidate, "factor", 0.9);
  lab.journal.on_event = nullptr;
  EXPECT_EQ(lab.run().exit_code, 0);
  expect_verdict(lab, "LAND", "");
}

TEST_F(RunnerTimed, KilledFromOutsideWhileTimedGoesOn) {
  start(0.9);
  on(EventKind::kSample, 4, [&] {
    lab.scenario["variants"][kCandidate] = {{"end_in", "work"}, {"end_by", SIGKILL}};
    lab.save();
  });
  const RunOutcome outcome = lab.run();
  EXPECT_EQ(outcome.exit_code, 12);
  EXPECT_EQ(outcome.outcome, "killed");
  EXPECT_EQ(outcome.message,
            "the candidate worker: signal 9 (Killed) in `work`: killed from outside; run again to "
            "go on");
  lab.scenario["variants"][kCandidate] = {{"factor", 0.9}};
  lab.save();
  lab.journal.on_event = nullptr;
  EXPECT_EQ(lab.run().exit_code, 0);
  EXPECT_EQ(lab.events(EventKind::kSample).size(), 16U);
  expect_verdict(lab, "LAND", "");
}

TEST_F(RunnerTimed, AWorkerThatClaimsTooMuchTimeIsAnError) {
  lab.options.clock_slack_s = 1e-3;
  start(0.9);
  on(EventKind::kPlanFrozen, 1, [&] {
    lab.scenario["claims_ns"] = 50'000'000'000;
    lab.save();
  });
  const RunOutcome outcome = lab.run();
  EXPECT_EQ(outcome.exit_code, 14);
  EXPECT_EQ(outcome.outcome, "error");
  EXPECT_TRUE(std::regex_match(
      outcome.message,
      std::regex("the worker of the (baseline|candidate) claims 100000\\.000 ms in "
                 "a segment that took \\d+\\.\\d{3} ms on the runner's clock")))
      << outcome.message;
  EXPECT_TRUE(lab.events(EventKind::kSample).empty());
  EXPECT_EQ(lab.view().used_attempts(), 0);
}

// A machine that is busy with something else: from the A/B on, each request takes 2.5 ms and claims
// 0.1.
class RunnerUnfit : public RunnerTimed {
 protected:
  void start_unfit(int pairs_max) {
    lab.options.pairs_max = pairs_max;
    lab.options.segment_s = 0.0001;
    start(kOnTheBar);
    on(EventKind::kLook, 1, [&] { lab.stop = true; });
    EXPECT_EQ(lab.run().exit_code, 12);
    lab.stop = false;
    lab.options.clock_slack_s = 1e-3;
  }
  RunOutcome busy_run() {
    lab.scenario["sleep_us"] = 0;
    lab.save();
    lab.journal.on_event = [&](const Event& event) {
      if (event.kind != EventKind::kGateResult || event.body.at("gate") != "margin") return;
      lab.scenario["sleep_us"] = 2500;
      lab.save();
    };
    return lab.run();
  }
};

TEST_F(RunnerUnfit, TheThirdRunIsUnproven) {
  start_unfit(32);
  for (const int run : {1, 2}) {
    const RunOutcome unfit = busy_run();
    EXPECT_EQ(unfit.exit_code, 13);
    EXPECT_EQ(unfit.outcome, "invalid");
    EXPECT_EQ(unfit.message,
              "in 32 of 32 segments the runner's clock saw over 2 % more than the worker's: the "
              "machine is too busy to measure");
    EXPECT_EQ(lab.gates().back(), "ab invalid");
    EXPECT_EQ(lab.view().attempts.at(0).invalid_runs, run);
    EXPECT_FALSE(lab.view().attempts.at(0).verdict);
  }
  const RunOutcome third = busy_run();
  EXPECT_EQ(third.exit_code, 10);
  EXPECT_EQ(third.message,
            "third run with an unfit environment: in 32 of 32 segments the runner's clock saw over "
            "2 % more than the worker's: the machine is too busy to measure; one attempt is left");
  EXPECT_EQ(lab.events(EventKind::kSample).size(), 28U);
  expect_verdict(lab, "REVERT", "unproven");
}

TEST_F(RunnerUnfit, PairsThatCompleteALookAreJudgedFirst) {
  start_unfit(24);  // looks at 12, 18, 24; four pairs per unfit run
  EXPECT_EQ(busy_run().exit_code, 13);
  EXPECT_EQ(busy_run().exit_code, 13);
  const RunOutcome third = busy_run();
  EXPECT_EQ(third.exit_code, 10);
  EXPECT_EQ(third.message, "REVERT(unproven): no verdict after all 24 pairs; one attempt is left");
  EXPECT_EQ(looks(lab),
            (std::vector<std::pair<std::string, int>>{{"ab", 12}, {"ab", 18}, {"ab", 24}}));
  expect_verdict(lab, "REVERT", "unproven");
}

}  // namespace
}  // namespace assay
