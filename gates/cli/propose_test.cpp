#include <gtest/gtest.h>

#include <filesystem>

#include "engine/core/device.h"
#include "gates/cli/driven_program.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

std::string proposal_file(const TestWorkspace& workspace, const std::string& text) {
  const std::string path = workspace.path("experiments/definitions/kv-tile.yaml");
  write_text(path, text);
  return "experiments/definitions/kv-tile.yaml";
}

TEST(Propose, GivesANumberFreezesAndWritesTheRecord) {
  const TestWorkspace workspace;
  const std::string text = definition_text("kv-tile");
  const Finished done = workspace.assay({"propose", proposal_file(workspace, text)});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_NE(done.out.find("proposed 0001 kv-tile\n"
                          "record  results/records/0001-kv-tile.md\n"
                          "next    `assay run kv-tile`\n"),
            std::string::npos)
      << done.out;
  const Store store(workspace.database());
  const ExperimentView view = fold(store.events("kv-tile"));
  EXPECT_EQ(view.proposal.definition, text);
  EXPECT_EQ(view.state, ExperimentState::kProposed);
  EXPECT_TRUE(store.unfinished_runs().empty());
  EXPECT_TRUE(fs::exists(workspace.path("results/records/0001-kv-tile.json")));
}

TEST(Propose, TheSameTextAgainChangesNothing) {
  const TestWorkspace workspace;
  const std::string file = proposal_file(workspace, definition_text("kv-tile"));
  ASSERT_EQ(workspace.assay({"propose", file}).code, 0);
  const Finished again = workspace.assay({"propose", file});
  EXPECT_EQ(again.code, 0);
  EXPECT_EQ(again.out,
            "0001 kv-tile is proposed already with this very text (proposed); nothing changed\n");
  EXPECT_EQ(Store(workspace.database()).runs("kv-tile").size(), 1u);
}

TEST(Propose, AnotherTextReplacesItUntilAnAttemptIsUsed) {
  const TestWorkspace workspace;
  ASSERT_EQ(workspace.assay({"propose", proposal_file(workspace, definition_text("kv-tile"))}).code,
            0);
  const std::string second = definition_text("kv-tile", "Another title");
  const Finished replaced = workspace.assay({"propose", proposal_file(workspace, second)});
  EXPECT_EQ(replaced.code, 0) << replaced.err;
  EXPECT_NE(replaced.out.find("proposed again, 0001 kv-tile\n"), std::string::npos);
  {
    Store store(workspace.database());
    EXPECT_EQ(fold(store.events("kv-tile")).proposal.definition, second);
    play_red_run(store, "kv-tile", "f1");
  }
  const Finished refused =
      workspace.assay({"propose", proposal_file(workspace, definition_text("kv-tile", "A third"))});
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(
      refused.err.find("assay: kv-tile has used 1 of 2 attempts, so its definition is frozen"),
      std::string::npos)
      << refused.err;
  EXPECT_NE(refused.err.find("-title: \"Another title\"\n+title: \"A third\"\n"), std::string::npos)
      << refused.err;
  EXPECT_EQ(fold(Store(workspace.database()).events("kv-tile")).proposal.definition, second);
}

// Pairs that do not look promising are not thrown away by another title.
TEST(Propose, AnotherTextIsRefusedOnceAPairIsMeasured) {
  const TestWorkspace workspace;
  ASSERT_EQ(workspace.assay({"propose", proposal_file(workspace, definition_text("kv-tile"))}).code,
            0);
  {
    Store store(workspace.database());
    const std::string run = open_attempt_run(store, "kv-tile", "f1");
    store.append(run, EventKind::kSample,
                 PairSample{"ab", 0, "ABBABAAB", std::vector<std::int64_t>(8, 100),
                            std::vector<std::int64_t>(8, 100), "here", nullptr, ""});
    store.end_run(run, {"inconclusive", 12, "stopped before a verdict"});
  }
  ASSERT_EQ(workspace.assay({"index"}).code, 0);  // else the next command may tell of a late record
  const Finished refused =
      workspace.assay({"propose", proposal_file(workspace, definition_text("kv-tile", "Other"))});
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(refused.err.starts_with(
      "assay: kv-tile has measured 1 pair of its A/B, so its definition is frozen and cannot "
      "change:\n"))
      << refused.err;
  EXPECT_TRUE(
      refused.err.ends_with("Put the old text back, or ask the new question under another slug.\n"))
      << refused.err;
  const ExperimentView view = fold(Store(workspace.database()).events("kv-tile"));
  EXPECT_EQ(view.measured_pairs(), 1);
}

TEST(Propose, MistakesShowTheirPlaceAndLeaveNoTrace) {
  const TestWorkspace workspace;
  const std::string file = proposal_file(workspace, "slug: kv-tile\ntitel: x\n");
  const Finished done = workspace.assay({"propose", file});
  EXPECT_EQ(done.code, 2);
  EXPECT_EQ(done.out, "");
  EXPECT_NE(done.err.find("assay: " + file + ":2:1: "), std::string::npos) << done.err;
  EXPECT_NE(done.err.find("titel: x\n^"), std::string::npos) << done.err;
  EXPECT_FALSE(fs::exists(workspace.database()));
}

TEST(Propose, WhatCannotRunIsRefusedAtItsPlaceAndLeavesNoExperiment) {
  const TestWorkspace workspace;
  std::string text = definition_text("kv-tile");
  text.replace(text.find("tokens: 128"), 11, "tokens: 5000");
  const std::string file = proposal_file(workspace, text);
  const Finished done = workspace.assay({"propose", file});
  EXPECT_EQ(done.code, 2);
  EXPECT_EQ(done.out, "");
  EXPECT_NE(done.err.find("assay: " + file +
                          ":8:13: workload embedded prefill tokens=5000 threads=0 needs 5000 "
                          "positions, and the model is loaded with "),
            std::string::npos)
      << done.err;
  EXPECT_TRUE(Store(workspace.database()).experiments().empty());
}

TEST(Propose, ItsProvenanceNamesTheDeviceAsARunDoes) {
  const TestWorkspace workspace;
  ASSERT_EQ(workspace.assay({"propose", proposal_file(workspace, definition_text("kv-tile"))}).code,
            0);
  const ExperimentView view = fold(Store(workspace.database()).events("kv-tile"));
  const nlohmann::json& provenance = view.runs.at(0).provenance;
  EXPECT_EQ(provenance.at("device"), cpu_model_name());
  EXPECT_EQ(provenance.at("device_key"), device_key(cpu_level()));
}

TEST(Propose, AFileThatIsNotThere) {
  const TestWorkspace workspace;
  EXPECT_EQ(workspace.assay({"propose", "none.yaml"}).err,
            "assay: none.yaml: cannot be read: No such file or directory\n");
  EXPECT_EQ(workspace.assay({"propose", "experiments"}).err,
            "assay: experiments: is a folder; a file belongs there\n");
}

TEST(Propose, ClassesThatCannotBeJudgedYetAreRefused) {
  const TestWorkspace workspace;
  std::string text = definition_text("kv-tile");
  text.replace(text.find("bitwise"), 7, "reorder");
  const Finished done = workspace.assay({"propose", proposal_file(workspace, text)});
  EXPECT_EQ(done.code, 2);
  EXPECT_NE(done.err.find(":4:8: class reorder: only class bitwise can be judged"),
            std::string::npos)
      << done.err;
  EXPECT_NE(done.err.find("\nclass: reorder\n       ^\n"), std::string::npos) << done.err;
  EXPECT_TRUE(Store(workspace.database()).experiments().empty());
}

}  // namespace
}  // namespace assay
