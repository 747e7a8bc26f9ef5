// Definitions that name what this history has not.
#include <gtest/gtest.h>

#include <filesystem>

#include "gates/cli/driven_program.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

TEST(DefinitionCheck, WhatASupersededRecordSaidIsMissed) {
  const TestWorkspace workspace;
  {
    Store store(workspace.database());
    play_proposal(store, "tile", definition_text("tile"));
    play_red_run(store, "tile", "f1");
    play_proposal(store, "again",
                  definition_text("again") + "supersedes: tile\nretry_when: the moon is full\n");
  }
  ASSERT_EQ(workspace.assay({"index"}).code, 0);
  EXPECT_EQ(workspace.assay({"check"}).code, 0);
  const std::string record = workspace.path("results/records/0001-tile.json");
  const std::string whole = read_text(record);
  for (const char* end : {"", "-wal", "-shm"}) fs::remove(workspace.database() + end);
  fs::remove(record);
  const std::string finding =
      "0002-again: supersedes tile, which is no experiment of this history: its record was "
      "deleted, or never shared; restore it (git log -- 'results/records/*-tile.json' shows where "
      "it was), or `assay import` an archive that has it\n";
  const Finished check = workspace.assay({"check"});
  EXPECT_EQ(check.code, 3);
  EXPECT_NE(check.out.find(finding), std::string::npos) << check.out;
  // Of a record that is there and cannot be read something else is said.
  write_text(record, "{");
  EXPECT_EQ(workspace.assay({"check"}).out.find("supersedes"), std::string::npos);
  write_text(record, whole);
  EXPECT_EQ(workspace.assay({"check"}).code, 0);
}

TEST(DefinitionCheck, AnAnswerToAnEntryThatIsGone) {
  const TestWorkspace workspace;
  {
    Store store(workspace.database());
    play_proposal(store, "tile",
                  definition_text("tile") + "answers:\n  hist-60: Another kernel altogether.\n");
  }
  ASSERT_EQ(workspace.assay({"index"}).code, 0);
  const Finished check = workspace.assay({"check"});
  EXPECT_EQ(check.code, 3);
  EXPECT_EQ(check.out.substr(0, check.out.find('\n')),
            "0001-tile: answers hist-60, which is no historical entry here: its file was deleted, "
            "or never shared; restore it (git checkout -- experiments/historical/hist-60.yaml)");
  fs::create_directories(workspace.path("experiments/historical"));
  fs::copy_file(std::string(ASSAY_SOURCE_ROOT) + "/experiments/historical/hist-60.yaml",
                workspace.path("experiments/historical/hist-60.yaml"));
  ASSERT_EQ(workspace.assay({"index"}).code, 0);
  EXPECT_EQ(workspace.assay({"check"}).code, 0);
}

}  // namespace
}  // namespace assay
