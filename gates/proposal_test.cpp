// What `propose` refuses because it could not run here, each at its place in the definition.
#include <gtest/gtest.h>

#include <filesystem>

#include "gates/simulated_workspace.h"

namespace assay {
namespace {

std::string refusal(SimulatedWorkspace& lab) {
  try {
    check_proposal(lab.definition(), lab.context());
    return "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
}

TEST(Proposal, WhatCanRunIsAccepted) {
  SimulatedWorkspace lab;
  EXPECT_EQ(refusal(lab), "accepted");
}

TEST(Proposal, AClassThatCannotBeJudgedYet) {
  SimulatedWorkspace lab;
  lab.redefine("class: bitwise", "class: operand");
  EXPECT_EQ(refusal(lab),
            "unroll-two.yaml:4:8: class operand: only class bitwise can be judged in this version, "
            "since the operand gates need calibrated drift that is not built yet\n"
            "class: operand\n"
            "       ^");
}

TEST(Proposal, ChecksOfTheTextAreMade) {
  SimulatedWorkspace lab;
  lab.redefine("bar: 5%", "bar: 0%");
  EXPECT_TRUE(refusal(lab).starts_with("unroll-two.yaml:12:6: `bar` is 0 %")) << refusal(lab);
}

TEST(Proposal, AMapThatIsNotThere) {
  SimulatedWorkspace lab;
  lab.redefine("service: in_service.yaml", "service: seeds.yaml");
  EXPECT_EQ(refusal(lab), "unroll-two.yaml:6:10: there is no map " + lab.path() +
                              "/experiments/seeds.yaml: name one that exists, such as "
                              "in_service.yaml\n"
                              "service: seeds.yaml\n"
                              "         ^");
}

TEST(Proposal, ARowThatDoesNotExist) {
  SimulatedWorkspace lab;
  lab.redefine("{device: cpu-avx2}", "{device: cpu-avx2, when: {t: 1..8}}");
  EXPECT_EQ(refusal(lab),
            "unroll-two.yaml:8:23: the service map has no row for rms_norm on cpu-avx2 for t 1..8: "
            "a LAND changes a row that exists, so write the first one by hand, or name an existing "
            "range in `scope.when`\n"
            "candidate: {rms_norm: \"rms_norm.cpu.avx2[unroll=2]\"}\n"
            "                      ^");
}

TEST(Proposal, ACandidateThatIsInServiceAlready) {
  SimulatedWorkspace lab;
  lab.redefine("[unroll=2]", "[unroll=1]");
  EXPECT_EQ(
      refusal(lab),
      "unroll-two.yaml:8:23: `rms_norm.cpu.avx2[unroll=1]` is already in service for rms_norm "
      "on cpu-avx2: name another point of the lever; `assay levers` lists them\n"
      "candidate: {rms_norm: \"rms_norm.cpu.avx2[unroll=1]\"}\n"
      "                      ^");
}

TEST(Proposal, AModelThatIsNoFile) {
  SimulatedWorkspace lab;
  lab.redefine("model: embedded", "model: models/none.gguf");
  EXPECT_EQ(refusal(lab),
            "unroll-two.yaml:9:21: there is no model file " + lab.path() +
                "/models/none.gguf: name a GGUF file (from the workspace), `embedded`, or "
                "`synth:SHAPE-QUANT`\n"
                "workloads: [{model: models/none.gguf, phase: prefill, tokens: 16, threads: 1}]\n"
                "                    ^");
  std::filesystem::create_directories(lab.path() + "/models/none.gguf");
  EXPECT_TRUE(refusal(lab).starts_with("unroll-two.yaml:9:21: " + lab.path() +
                                       "/models/none.gguf is not a regular file\n"))
      << refusal(lab);
}

TEST(Proposal, ASyntheticModelIsNoFile) {
  SimulatedWorkspace lab;
  lab.redefine("model: embedded", "model: synth:tiny-q8_0");
  EXPECT_EQ(refusal(lab), "accepted");
}

TEST(Proposal, AModelThatTheWorkerRefuses) {
  SimulatedWorkspace lab;
  lab.scenario["variants"][SimulatedWorkspace::kIncumbent] = {{"end_in", "load"},
                                                              {"end_by", "refuse"}};
  lab.save();
  EXPECT_TRUE(
      refusal(lab).starts_with("unroll-two.yaml:9:21: rms_norm.cpu.avx2[unroll=1] refuses load\n"))
      << refusal(lab);
}

TEST(Proposal, AMachineWithoutMemoryForTheModelIsNoFaultOfTheDefinition) {
  SimulatedWorkspace lab;
  lab.scenario["variants"][SimulatedWorkspace::kIncumbent] = {{"end_in", "load"},
                                                              {"end_by", "unfit"}};
  lab.save();
  EXPECT_EQ(refusal(lab), "accepted");
}

TEST(Proposal, MorePositionsThanTheModelHas) {
  SimulatedWorkspace lab;
  lab.redefine("guards: []",
               "guards: [{model: embedded, phase: decode, depth: 500, steps: 13, threads: 1}]");
  EXPECT_EQ(refusal(lab),
            "unroll-two.yaml:10:10: guard embedded decode depth=500 steps=13 threads=1 needs 513 "
            "positions, and the model is loaded with 512: ask for less\n"
            "guards: [{model: embedded, phase: decode, depth: 500, steps: 13, threads: 1}]\n"
            "         ^");
}

TEST(Proposal, WithoutAWorkerTheModelIsLeftToTheRun) {
  SimulatedWorkspace lab;
  std::filesystem::remove(lab.worker());
  const ProposalCheck check = check_proposal(lab.definition(), lab.context());
  bool said = false;
  for (const std::string& line : check.lines) {
    said = said ||
           (line.starts_with("model   not loaded here (") && line.ends_with("); `run` checks it"));
  }
  EXPECT_TRUE(said);
}

}  // namespace
}  // namespace assay
