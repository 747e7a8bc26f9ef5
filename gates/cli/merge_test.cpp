// Two histories into one, through the program: numbers that both gave away, and the way out.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "gates/cli/borrowed_machine.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAgree = ": files, chain and verdicts agree\n";

void expect_green(const Finished& check) {
  EXPECT_EQ(check.code, 0) << check.out << check.err;
  EXPECT_TRUE(check.out.ends_with(kAgree)) << check.out;
}

// slug -> seals of its runs, in order.
std::map<std::string, std::string> seals_of(const std::string& database) {
  std::map<std::string, std::string> seals;
  const Store store(database);
  for (const ExperimentLabel& label : store.experiments()) {
    for (const Store::StoredRun& run : store.runs(label.slug)) seals[label.slug] += run.seal + " ";
  }
  return seals;
}

// `mine` and `theirs` are both number 1, `mine-too` and `theirs-too` both number 2.
class TwoHistories : public testing::Test {
 protected:
  TwoHistories() {
    play(here, {"mine", "mine-too"});
    play(there, {"theirs", "theirs-too"});
  }
  static void play(const TestWorkspace& workspace, const std::vector<std::string>& slugs) {
    {
      Store store(workspace.database());
      for (const std::string& slug : slugs) {
        play_proposal(store, slug, definition_text(slug));
        play_red_run(store, slug, "f-" + slug);
      }
    }
    EXPECT_EQ(workspace.assay({"index"}).code, 0);
  }
  TestWorkspace here, there;
  std::string other = fs::canonical(there.root()).string();
};

TEST_F(TwoHistories, EveryClashIsNamedWithItsCommandsAndNothingChanges) {
  const std::map<std::string, std::string> files = files_of(here.root());
  const Finished done = here.assay({"merge", there.root()});
  EXPECT_EQ(done.code, 2);
  EXPECT_EQ(done.out, "");
  EXPECT_EQ(done.err,
            "assay: " + there.root() +
                ": 2 clashes of numbers have to be settled first; nothing was changed\n"
                "number 1 is mine here and theirs there: `assay renumber theirs 3 --workspace " +
                other +
                "`, or `assay renumber mine 3` here\n"
                "number 2 is mine-too here and theirs-too there: `assay renumber theirs-too 4 "
                "--workspace " +
                other + "`, or `assay renumber mine-too 4` here\n");
  EXPECT_EQ(files_of(here.root()), files);
  EXPECT_FALSE(Store(here.database()).find("theirs"));
}

// One clash is settled on either side; then both take in all of it, and say the same.
TEST_F(TwoHistories, ASettledClashIsMergedAndNoHashChanges) {
  const auto mine = seals_of(here.database()), theirs = seals_of(there.database());
  const Finished moved = here.assay({"renumber", "theirs", "3", "--workspace", other});
  EXPECT_EQ(moved.code, 0) << moved.err;
  EXPECT_EQ(moved.out, "theirs is number 3 now (it was 1); no hash changed\n");
  EXPECT_EQ(here.assay({"renumber", "mine-too", "4"}).out,
            "mine-too is number 4 now (it was 2); no hash changed\n");
  expect_green(here.assay({"check"}));
  expect_green(there.assay({"check"}));
  const Finished merged = here.assay({"merge", there.root()});
  EXPECT_EQ(merged.code, 0) << merged.err;
  EXPECT_EQ(merged.out,
            "0002 theirs-too: 2 runs, open\n0003 theirs: 2 runs, open\n"
            "wrote   experiments/definitions/theirs-too.yaml\n"
            "wrote   experiments/definitions/theirs.yaml\n");
  EXPECT_EQ(there.assay({"merge", here.path("results")}).code, 0);
  expect_green(here.assay({"check"}));
  expect_green(there.assay({"check"}));
  auto both = mine;
  both.insert(theirs.begin(), theirs.end());
  EXPECT_EQ(seals_of(here.database()), both);
  EXPECT_EQ(seals_of(there.database()), both);
  const auto records = [](const TestWorkspace& workspace) {
    auto files = files_of(workspace.root());
    std::erase_if(files, [](const auto& file) { return !file.first.starts_with("results/"); });
    return files;
  };
  EXPECT_EQ(records(here), records(there));
  EXPECT_TRUE(records(here).contains("results/records/0004-mine-too.md"));
  EXPECT_FALSE(records(here).contains("results/records/0002-mine-too.md"));
  EXPECT_EQ(here.assay({"merge", there.root()}).out,
            "all of it is here already; nothing changed\n");
}

TEST_F(TwoHistories, AFolderOfResultsAloneWillDo) {
  const TemporaryFolder lone;
  fs::copy(there.path("results/records"), lone.path() + "/records", fs::copy_options::recursive);
  const Finished clash = here.assay({"merge", lone.path()});
  EXPECT_EQ(clash.code, 2);
  EXPECT_NE(
      clash.err.find("number 1 is mine here and theirs there: `assay renumber theirs 3` in the "
                     "other workspace and export again, or `assay renumber mine 3` here\n"),
      std::string::npos)
      << clash.err;
  EXPECT_EQ(here.assay({"renumber", "mine", "3"}).code, 0);
  EXPECT_EQ(here.assay({"renumber", "mine-too", "4"}).code, 0);
  EXPECT_EQ(here.assay({"merge", lone.path()}).code, 0);
  expect_green(here.assay({"check"}));
}

TEST_F(TwoHistories, OneExperimentWithTwoNumbers) {
  const TestWorkspace clone;
  fs::copy(here.path("results/records"), clone.path("results/records"),
           fs::copy_options::recursive);
  ASSERT_EQ(clone.assay({"index"}).code, 0);
  ASSERT_EQ(clone.assay({"renumber", "mine", "7"}).code, 0);
  const Finished clash = here.assay({"merge", clone.root()});
  EXPECT_EQ(clash.code, 2);
  EXPECT_EQ(clash.err,
            "assay: " + clone.root() +
                ": mine is number 1 here and 7 there: `assay renumber mine 7` here, or `assay "
                "renumber mine 1 --workspace " +
                fs::canonical(clone.root()).string() + "`; nothing was changed\n");
  EXPECT_EQ(here.assay({"renumber", "mine", "7"}).code, 0);
  EXPECT_EQ(here.assay({"merge", clone.root()}).out,
            "all of it is here already; nothing changed\n");
}

TEST_F(TwoHistories, WhatIsNoHistoryIsRefused) {
  const auto refused = [&](const std::string& path) {
    const Finished done = here.assay({"merge", path});
    EXPECT_EQ(done.code, 2) << path;
    return done.err;
  };
  EXPECT_EQ(refused("nowhere"),
            "assay: nowhere: No such file or directory; name another workspace on this machine, or "
            "its results folder\n");
  EXPECT_EQ(
      refused("results/index.md"),
      "assay: results/index.md: is a file; merge takes a workspace or its results folder, and "
      "`assay import results/index.md` takes an archive\n");
  EXPECT_EQ(refused("experiments"),
            "assay: experiments: holds neither experiments/in_service.yaml nor records/: name a "
            "workspace, or its results folder\n");
  const TestWorkspace empty;
  EXPECT_EQ(refused(empty.root()),
            "assay: " + empty.root() + ": has no history yet; nothing was changed\n");
  write_text(there.path("results/records/0001-theirs.json"), "{\n");
  fs::remove(there.database());
  const std::string damaged = refused(there.root());
  EXPECT_TRUE(damaged.starts_with("assay: " + there.root() +
                                  ": its history is not whole; `assay check` over there says it, "
                                  "too; nothing was changed\nresults/records/0001-theirs.json:2: "))
      << damaged;
}

TEST(OneProposalOnBothSides, OfTheOtherOneIsSaidThatItNeedsAFreshWorkspace) {
  const TestWorkspace here, there;
  for (const TestWorkspace* workspace : {&here, &there}) {
    Store store(workspace->database());
    play_proposal(store, "tile", definition_text("tile"));
    if (workspace == &here) play_red_run(store, "tile", "f1");
  }
  const Finished merged = here.assay({"merge", there.root()});
  EXPECT_EQ(merged.code, 0) << merged.err;
  EXPECT_EQ(merged.out,
            "all of it is here already; nothing changed\n"
            "0001 tile: was proposed there, too, and not shared: what is here counts. That "
            "workspace cannot take this history in: over there begin a fresh one, such as a new "
            "clone of this\n");
  const Finished back = there.assay({"merge", here.root()});
  EXPECT_EQ(back.code, 2);
  EXPECT_NE(back.err.find("and then begin a fresh workspace here"), std::string::npos) << back.err;
}

// A LAND comes with its row of the map, as it does with an archive.
TEST(MergedLand, SetsItsRow) {
  BorrowedMachine borrowed;
  ASSERT_EQ(borrowed.run_unroll_two(), ExperimentState::kLanded);
  const TestWorkspace home;
  const Finished merged = home.assay({"merge", borrowed.lab.path()});
  EXPECT_EQ(merged.code, 0) << merged.err;
  EXPECT_NE(read_text(home.path("experiments/in_service.yaml")).find("by: unroll-two"),
            std::string::npos);
  expect_green(home.assay({"check"}));
  expect_green(borrowed.assay({"check"}));
}

}  // namespace
}  // namespace assay
