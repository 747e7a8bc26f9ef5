// Definitions that name what this history has not.
#include <gtest/gtest.h>

#include <algorithm>
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
      "deleted, never shared, or left out of an export; restore it (git log -- "
      "'results/records/*-tile.json' shows where "
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

TEST(DefinitionCheck, AnEditAfterItIsSettled) {
  const TestWorkspace workspace;
  const std::string path = workspace.path("experiments/definitions/tile.yaml");
  const std::string frozen = definition_text("tile");
  const std::string edited = "# later\n" + frozen;
  {
    Store store(workspace.database());
    play_proposal(store, "tile", frozen);
  }
  ASSERT_EQ(workspace.assay({"index"}).code, 0);
  write_text(path, edited);
  EXPECT_EQ(workspace.assay({"check"}).code, 0) << "a new text may be proposed";
  {
    Store store(workspace.database());
    play_timed_run(store, "tile", "f1", {.verdict = "REVERT", .reason = "flat", .effect = 0});
  }
  ASSERT_EQ(workspace.assay({"index"}).code, 0);
  const auto expect_found = [&](const std::string& what) {
    const Finished check = workspace.assay({"check"});
    EXPECT_EQ(check.code, 3);
    EXPECT_NE(check.out.find("experiments/definitions/tile.yaml:" + what), std::string::npos)
        << check.out;
  };
  const std::string first = frozen.substr(0, frozen.find('\n'));
  const std::string advice =
      ", which counts; put it back (git checkout -- experiments/definitions/tile.yaml; `assay show "
      "tile` has the frozen text), and ask anything new under another slug\n";
  expect_found("1: is \"# later\", was frozen as \"" + first + "\"" + advice);
  write_text(path, frozen + "background: more\n");
  expect_found(std::to_string(1 + std::count(frozen.begin(), frozen.end(), '\n')) +
               ": is \"background: more\", was frozen as the end of the file" + advice);
  EXPECT_NE(workspace.assay({"show", "tile"}).out.find(first), std::string::npos);
  write_text(path, frozen);
  const auto settled = [&] {
    return workspace.assay({"check"}).out.find("experiments/definitions") == std::string::npos;
  };
  EXPECT_TRUE(settled());
  fs::remove(path);
  EXPECT_TRUE(settled()) << "propose takes it from any place";
}

}  // namespace
}  // namespace assay
