// What `run` refuses before it opens a run, or ends in preflight: exit 2, and nothing is used.
#include <gtest/gtest.h>

#include <filesystem>

#include "gates/simulated_workspace.h"

namespace assay {
namespace {

using Lines = std::vector<std::string>;
const std::string kCandidate = SimulatedWorkspace::kCandidate;
const std::string kIncumbent = SimulatedWorkspace::kIncumbent;

void expect_refused(SimulatedWorkspace& lab, int exit_code, const std::string& message) {
  const RunOutcome refused = lab.run_refused();
  EXPECT_EQ(refused.exit_code, exit_code);
  EXPECT_EQ(refused.message, message);
  EXPECT_EQ(lab.view().used_attempts(), 0);
}

TEST(RunnerRefusals, NeverProposed) {
  SimulatedWorkspace lab;
  expect_refused(lab, 2, "never proposed: `assay propose FILE` comes first");
}

TEST(RunnerRefusals, Closed) {
  for (const char* as : {"closed", "measured", "unreached"}) {
    SimulatedWorkspace lab;
    lab.propose();
    const std::string run = lab.journal.open_run("unroll-two", {"close", "assay close", nullptr});
    lab.journal.append(run, EventKind::kClosed, Closed{as, "no card for it"});
    lab.journal.end_run(run, {"closed", 0, ""});
    expect_refused(lab, 2, std::string("unroll-two is ") + as + ": nothing runs any more");
  }
}

TEST(RunnerRefusals, GivenUpAsReverted) {
  SimulatedWorkspace lab;
  lab.propose();
  const std::string run = lab.journal.open_run("unroll-two", {"close", "assay close", nullptr});
  lab.journal.append(run, EventKind::kClosed, Closed{"reverted", "not worth a second"});
  lab.journal.end_run(run, {"closed", 0, ""});
  EXPECT_EQ(lab.run_refused().exit_code, 11);
}

TEST(RunnerRefusals, ClassReorder) {
  SimulatedWorkspace lab;
  lab.redefine("class: bitwise", "class: reorder");
  lab.propose();
  expect_refused(lab, 2,
                 "unroll-two.yaml:4:8: class reorder: only class bitwise can be judged in this "
                 "version, since the reorder gates need calibrated drift that is not built yet\n"
                 "class: reorder\n"
                 "       ^");
}

TEST(RunnerRefusals, GuardOnOtherThreads) {
  SimulatedWorkspace lab;
  lab.redefine("guards: []",
               "guards: [{model: embedded, phase: decode, depth: 8, steps: 8, threads: 2}]");
  lab.propose();
  expect_refused(
      lab, 2,
      "unroll-two.yaml:10:10: guard embedded decode depth=8 steps=8 threads=2: model and "
      "threads must be those of the first workload, since all share its processes\n"
      "guards: [{model: embedded, phase: decode, depth: 8, steps: 8, threads: 2}]\n"
      "         ^");
}

TEST(RunnerRefusals, MorePositionsThanTheModelHas) {
  SimulatedWorkspace lab;
  lab.redefine("tokens: 16", "tokens: 513");
  lab.propose();
  expect_refused(lab, 2,
                 "unroll-two.yaml:9:13: workload embedded prefill tokens=513 threads=1 needs 513 "
                 "positions, and the model is loaded with 512: ask for less\n"
                 "workloads: [{model: embedded, phase: prefill, tokens: 513, threads: 1}]\n"
                 "            ^");
}

TEST(RunnerRefusals, AWorkloadThatFillsTheModelIsNone) {
  SimulatedWorkspace lab;
  lab.redefine("tokens: 16", "tokens: 512");
  lab.propose();
  lab.options.until = "margin";
  EXPECT_EQ(lab.run().exit_code, 0);
}

TEST(RunnerRefusals, StaleSourceOfEitherArm) {
  for (const std::string& id : {kCandidate, kIncumbent, std::string("rope.cpu.avx2")}) {
    SimulatedWorkspace lab;
    lab.propose();
    write_whole(lab.path() + "/sources/" + id + ".cpp", "// edited\n");
    expect_refused(lab, 2,
                   "sources/" + id + ".cpp differs on disk from the file that " + id +
                       " was built from: rebuild first, or run with --build");
  }
}

TEST(RunnerRefusals, SourceThatIsGone) {
  SimulatedWorkspace lab;
  lab.propose();
  std::filesystem::remove(lab.path() + "/sources/" + kCandidate + ".cpp");
  EXPECT_EQ(lab.run_refused().exit_code, 2);
}

TEST(RunnerRefusals, ScopeOfAnotherDevice) {
  SimulatedWorkspace lab;
  lab.redefine("scope: {device: cpu-avx2}", "scope: {device: cpu-avx512vnni}");
  lab.propose();
  expect_refused(
      lab, 2,
      "scope names device cpu-avx512vnni, but on cpu-avx2 the row of rms_norm comes from "
      "cpu-avx2: run on the named device, or change the scope");
}

TEST(RunnerRefusals, VariantThatIsNotBuilt) {
  SimulatedWorkspace lab;
  lab.propose();
  std::erase_if(lab.manifest.variants,
                [](const auto& variant) { return variant.id == kCandidate; });
  lab.save();
  expect_refused(lab, 2, kCandidate + " is known but not built here: build it, or name another");
}

TEST(RunnerRefusals, VariantThatCannotRunHere) {
  SimulatedWorkspace lab;
  lab.propose();
  std::erase(lab.scenario.at("hello").at("variants").get_ref<nlohmann::json::array_t&>(),
             nlohmann::json(kCandidate));
  lab.save();
  expect_refused(lab, 2,
                 kCandidate +
                     " cannot run on this device (cpu-avx2): run on a machine that has "
                     "what it needs");
}

TEST(RunnerRefusals, OverrideOfAnotherOpOrLever) {
  SimulatedWorkspace lab;
  lab.propose();
  lab.options.candidate = {{"rope", "rope.cpu.portable"}};
  expect_refused(lab, 2,
                 "--candidate rope.cpu.portable: the definition has no candidate for op rope; name "
                 "a variant of lever rms_norm.unroll");
  lab.options.candidate = {{"rms_norm", "rms_norm.cpu.portable"}};
  expect_refused(lab, 2,
                 "--candidate rms_norm.cpu.portable: not a point of lever rms_norm.unroll; `assay "
                 "levers` lists them");
}

TEST(RunnerRefusals, OptionsThatContradict) {
  SimulatedWorkspace lab;
  lab.propose();
  lab.options.until = "ab";
  expect_refused(lab, 2,
                 "--until ab: no such gate before ab; the gates are preflight, baseline, identity, "
                 "parity, margin");
  lab.options.until = "identity";
  lab.options.premise = true;
  expect_refused(lab, 2, "--premise and --until cannot be combined: --premise is parity alone");
}

TEST(RunnerRefusals, WorkerOfAnotherBuild) {
  SimulatedWorkspace lab;
  lab.propose();
  lab.manifest.worker_sha256 = sha256_hex("another program");
  lab.save();
  EXPECT_EQ(lab.run_refused().exit_code, 14);
}

TEST(RunnerRefusals, WorkerThatWasNeverBuilt) {
  SimulatedWorkspace lab;
  lab.propose();
  std::filesystem::remove(lab.worker() + ".manifest.json");
  expect_refused(lab, 2,
                 lab.worker() +
                     ".manifest.json: no manifest there; build the worker, or name one with "
                     "--worker");
}

TEST(RunnerRefusals, WorkerOfAnotherProtocol) {
  SimulatedWorkspace lab;
  lab.propose();
  lab.scenario["hello"]["protocol"] = 2;
  lab.save();
  expect_refused(lab, 14, "worker: protocol: speaks protocol 2; this program speaks 1");
}

TEST(RunnerRefusals, EngineInServiceThatCannotLoad) {
  SimulatedWorkspace lab;
  lab.propose();
  lab.scenario["variants"][kIncumbent] = {{"end_in", "load"}, {"end_by", "refuse"}};
  lab.save();
  // The worker's own words and kind: a model file that is not there, say.
  expect_refused(lab, 2, kIncumbent + " refuses load");
  lab.scenario["variants"][kIncumbent] = {{"end_in", "load"}, {"end_by", "exit"}};
  lab.save();
  expect_refused(lab, 14, "worker: crash: exit status 3 in `load`\nit wrote:\nending in load\n");
}

TEST(RunnerRefusals, EngineInServiceWithoutMemory) {
  SimulatedWorkspace lab;
  lab.propose();
  lab.scenario["variants"][kIncumbent] = {{"end_in", "load"}, {"end_by", "unfit"}};
  lab.save();
  expect_refused(lab, 13, kIncumbent + " has no memory to load");
  EXPECT_EQ(lab.view().state, ExperimentState::kProposed);
}

TEST(RunnerRefusals, BrokenServiceMap) {
  SimulatedWorkspace lab;
  lab.propose();
  write_whole(lab.service_path(), "version: 1\ndevices: {cpu: {rms_norm: []}}\n");
  EXPECT_EQ(lab.run_refused().exit_code, 2);
  std::filesystem::remove(lab.service_path());
  expect_refused(lab, 2,
                 lab.service_path() + ": cannot be read: a workspace needs its service map there");
}

TEST(RunnerRefusals, AlphaThatAnotherExperimentHasSpent) {
  SimulatedWorkspace lab;
  lab.propose();
  lab.set(kCandidate, "bits", "x");
  ASSERT_EQ(lab.run().exit_code, 10);
  lab.heal();
  lab.redefine("slug: unroll-two", "slug: unroll-again");
  lab.propose();
  const RunOutcome spent = lab.run();
  EXPECT_EQ(spent.exit_code, 2);
  EXPECT_EQ(spent.message,
            "experiment unroll-two has already judged this code on this workload and device: name "
            "it in `supersedes` and say in `retry_when` which condition now holds");
  EXPECT_EQ(lab.view().used_attempts(), 0);
  EXPECT_EQ(lab.view().runs.back().ended->exit_code, 2);
  lab.redefine("bar: 5%", "bar: 5%\nsupersedes: unroll-two\nretry_when: another compiler");
  lab.propose();
  lab.options.until = "identity";
  EXPECT_EQ(lab.run().exit_code, 0);
}

TEST(RunnerRefusals, AGuardThatThisMachineCannotResolve) {
  SimulatedWorkspace lab;
  lab.redefine("guards: []",
               "guards: [{model: embedded, phase: decode, depth: 8, steps: 8, threads: 1}]");
  lab.redefine("bar: 5%", "bar: 5%\nguard_margin: 1%");
  lab.propose();
  lab.options.until = "preflight";
  EXPECT_EQ(lab.run().exit_code, 0) << "nothing is known of its noise";
  lab.calibrated(0.01);
  const RunOutcome refused = lab.run();
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.message,
            "guard embedded decode depth=8 steps=8 threads=1 may lose 1.00 %, but 16 pairs could "
            "not show that it loses less than 1.34 % (pair sd 1.07 %): allow that in "
            "`guard_margin`, or, if the machine was busy when its noise was measured, run "
            "`assay calibrate --for unroll-two --runs 6` while it is quiet");
  lab.redefine("guard_margin: 1%", "guard_margin: 2%");
  lab.propose();
  EXPECT_EQ(lab.run().exit_code, 0);
}

TEST(RunnerRefusals, AGainTooSmallToSeeUnlessOverridden) {
  SimulatedWorkspace lab;
  lab.redefine("expect: {wall: 10%}", "expect: {wall: 6%}");
  lab.propose();
  lab.calibrated(0.02);
  const RunOutcome refused = lab.run();
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.message,
            "expect.wall is 6.00 %, but the smallest effect that this machine could land is 7.26 % "
            "(bar 5.00 %, pair sd 2.15 %): raise the gain, lower the bar, say in `override` why it "
            "should run all the same, or, if the machine was busy when its noise was measured, run "
            "`assay calibrate --for unroll-two --runs 6` while it is quiet");
  EXPECT_EQ(lab.view().used_attempts(), 0);
  lab.redefine("bar: 5%", "bar: 5%\noverride: to see what happens");
  lab.propose();
  lab.options.until = "preflight";
  EXPECT_EQ(lab.run().exit_code, 0);
  EXPECT_TRUE(lab.sentence("preflight").ends_with("expected 6.00 % (overridden)"))
      << lab.sentence("preflight");
}

}  // namespace
}  // namespace assay
