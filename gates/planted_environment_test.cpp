// Machines that are not what a measurement needs, planted while a lever that is worth nothing is
// judged: a second load, an idle clock, a slowed baseline. Whatever comes of it, it is no LAND.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "gates/gate_ab.h"
#include "gates/simulated_workspace.h"

namespace assay {
namespace {

using Lines = std::vector<std::string>;
const std::string kIncumbent = SimulatedWorkspace::kIncumbent;
constexpr double kQuiet_ns = 100000;

class PlantedEnvironment : public testing::Test {
 protected:
  PlantedEnvironment() {
    lab.scenario["launch_noise"] = 0.01;
    lab.scenario["seed"] = 7;
    lab.save();
    lab.propose();
    lab.calibrated();
  }
  // Calls `then` with how many events of this kind are committed, at each.
  void on(EventKind kind, std::function<void(int seen)> then) {
    lab.journal.on_event = [kind, then, seen = 0](const Event& event) mutable {
      if (event.kind == kind && !event.slug.empty()) then(++seen);
    };
  }
  void plant(const std::string& name, const nlohmann::json& value) {
    lab.scenario[name] = value;
    lab.save();
  }
  void after_the_gates(const std::function<void()>& then) {
    lab.journal.on_event = [then](const Event& event) {
      if (event.kind == EventKind::kGateResult && event.body.at("gate") == "margin") then();
    };
  }
  void expect_no_gain() {
    const RunOutcome outcome = lab.run();
    EXPECT_EQ(outcome.exit_code, 10) << outcome.message;
    const ExperimentView view = lab.view();
    ASSERT_TRUE(view.judged() != nullptr);
    const std::string& reason = view.judged()->verdict->reason;
    EXPECT_TRUE(reason == "no-gain" || reason == "unproven") << reason;
    EXPECT_EQ(recheck_verdicts(view), Lines{});
  }
  SimulatedWorkspace lab;
};

// Both arms are slower by half while three of the pairs run.
TEST_F(PlantedEnvironment, ASecondLoadOverSomePairsHarmsNothing) {
  on(EventKind::kSample, [&](int pairs) {
    if (pairs == 3) plant("base_ns", 1.5 * kQuiet_ns);
    if (pairs == 6) plant("base_ns", kQuiet_ns);
  });
  expect_no_gain();
}

// It ends within a pair: the first requests of both processes met it, the others did not.
TEST_F(PlantedEnvironment, ASecondLoadWithinAPairHarmsNothing) {
  on(EventKind::kSample, [&](int pairs) {
    if (pairs == 3) plant("slow", {{"from", 0}, {"to", 5}, {"factor", 1.5}});
    if (pairs == 4) plant("slow", {{"from", 0}, {"to", 0}, {"factor", 1.0}});
  });
  expect_no_gain();
}

// Nothing warms these processes up (options.warm_up_s is 0), and each starts on an idle clock.
TEST_F(PlantedEnvironment, AnIdleClockAtTheStartOfEachProcessHarmsNothing) {
  after_the_gates([&] { plant("slow", {{"from", 0}, {"to", 4}, {"factor", 1.3}}); });
  expect_no_gain();
}

TEST_F(PlantedEnvironment, ABaselineSlowerThanItsAnchorIsRefused) {
  plant("noise", 0);
  plant("launch_noise", 0);
  lab.options.until = "baseline";
  ASSERT_EQ(lab.run().exit_code, 0);
  lab.options.until.clear();
  plant("base_ns", 1.12 * kQuiet_ns);
  const RunOutcome outcome = lab.run();
  EXPECT_EQ(outcome.exit_code, 13);
  EXPECT_EQ(outcome.message,
            "baseline: the baseline takes 0.112 ms, +12.0 % from its anchor of 0.100 ms: the "
            "machine is not as it was (load, clock, another host?)");
  EXPECT_TRUE(lab.events(EventKind::kSample).empty());
}

// Only the baseline is slowed, after its gate: the candidate looks 12 % faster, and is not.
TEST_F(PlantedEnvironment, ABaselineSlowedAfterItsGateIsInvalidAndNeverALand) {
  plant("noise", 0);
  plant("launch_noise", 0);
  const std::string slowed =
      "the baseline took 0.112 ms per request in these pairs, +12.0 % from its anchor of 0.100 ms: "
      "a gain over a slowed baseline is none, and the pairs stay";
  for (const int run : {1, 2}) {
    lab.heal();
    after_the_gates([&] { lab.set(kIncumbent, "factor", 1.12); });
    const RunOutcome outcome = lab.run();
    EXPECT_EQ(outcome.exit_code, 13) << run;
    EXPECT_EQ(outcome.outcome, "invalid");
    EXPECT_EQ(outcome.message, slowed);
    EXPECT_EQ(lab.events(EventKind::kSample).size(), 16U) << run;
    EXPECT_FALSE(lab.view().judged());
  }
  lab.heal();
  const RunOutcome third = lab.run();
  EXPECT_EQ(third.exit_code, 10);
  EXPECT_EQ(third.message,
            "third run with an unfit environment: " + slowed + "; one attempt is left");
  EXPECT_EQ(lab.view().judged()->verdict->reason, "unproven");
  EXPECT_EQ(recheck_verdicts(lab.view()), Lines{});
}

// The same gain with a baseline as it was anchored.
TEST_F(PlantedEnvironment, AGainOverTheAnchoredBaselineLands) {
  plant("noise", 0);
  plant("launch_noise", 0);
  after_the_gates([&] { lab.set(SimulatedWorkspace::kCandidate, "factor", 1 / 1.12); });
  EXPECT_EQ(lab.run().exit_code, 0);
}

TEST_F(PlantedEnvironment, AWorkerThatIsReplacedDuringARunIsAnError) {
  on(EventKind::kSample, [&](int pairs) {
    if (pairs != 4) return;
    const std::string program = read_whole(lab.worker());
    std::filesystem::remove(lab.worker());  // one that runs cannot be written to
    write_whole(lab.worker(), program + "another build");
    std::filesystem::permissions(lab.worker(), std::filesystem::perms::owner_all);
  });
  const RunOutcome outcome = lab.run();
  EXPECT_EQ(outcome.exit_code, 14);
  EXPECT_EQ(outcome.message, lab.worker() +
                                 " was changed while it was measured: the pair is not kept; build "
                                 "before a run, not during it");
  EXPECT_EQ(lab.events(EventKind::kSample).size(), 4U);
}

}  // namespace
}  // namespace assay
