// Two histories into one: what comes in, what is the same already, and what cannot be joined.
#include "recorder/archive_history.h"

#include <gtest/gtest.h>

#include "engine/core/error.h"
#include "engine/core/sha256.h"
#include "recorder/played_history.h"
#include "recorder/record_parts.h"
#include "recorder/text_form.h"

namespace assay {
namespace {

class ArchiveHistory : public testing::Test {
 protected:
  ArchiveHistory() : here(folder.path() + "/here.db"), there(folder.path() + "/there.db") {}
  ArchiveFiles files(const Store& store) const {
    return history_files(store, folder.path(), recorded_experiments(store));
  }
  // Brings what `there` holds, as a command does.
  MergedHistory bring() {
    MergedHistory merged;
    here.together([&] { merged = merge_history(here, read_history(files(there))); });
    return merged;
  }
  std::string refusal() {
    const std::string before = pack_archive(files(here));
    std::string said = "merged";
    try {
      bring();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      said = error.what();
    }
    EXPECT_EQ(pack_archive(files(here)), before) << "nothing changed";
    return said;
  }

  TemporaryFolder folder;
  Store here, there;
};

TEST_F(ArchiveHistory, UnknownExperimentsComeInWhole) {
  play_proposal(there, "tile", definition_text("tile"));
  play_red_run(there, "tile", "f1");
  play_proposal(there, "panel", definition_text("panel"));
  play_calibration(there, "gpu/embedded");
  const MergedHistory merged = bring();
  ASSERT_EQ(merged.experiments.size(), 2U);
  EXPECT_EQ(merged.experiments[0].label.slug, "tile");
  EXPECT_EQ(merged.experiments[0].runs.size(), 2U);
  EXPECT_TRUE(merged.experiments[0].before.runs.empty());
  EXPECT_EQ(merged.experiments[0].after.state, ExperimentState::kOpen);
  EXPECT_EQ(merged.effects, 1);
  EXPECT_EQ(pack_archive(files(here)), pack_archive(files(there)));
  EXPECT_EQ(here.aa_history("gpu/embedded", "").size(), 1U);
  EXPECT_EQ(here.anchor("embedded/cpu-avx2"), there.anchor("embedded/cpu-avx2"));
  EXPECT_TRUE(here.integrity().empty());
}

// Of two that share a source, each says that it lacked it.
TEST_F(ArchiveHistory, SourcesThatComeInAreCounted) {
  for (const char* slug : {"tile", "panel"}) {
    play_proposal(there, slug, definition_text(slug));
    play_red_run(there, slug, "f1");
  }
  const MergedHistory merged = bring();
  EXPECT_EQ(merged.experiments.at(0).sources, 1);
  EXPECT_EQ(merged.experiments.at(1).sources, 1);
  EXPECT_EQ(bring().experiments.at(0).sources, 0);
}

TEST_F(ArchiveHistory, TwiceIsOnce) {
  play_proposal(there, "tile", definition_text("tile"));
  play_calibration(there, "gpu/embedded");
  bring();
  const MergedHistory again = bring();
  ASSERT_EQ(again.experiments.size(), 1U);
  EXPECT_TRUE(again.experiments[0].runs.empty());
  EXPECT_EQ(again.effects, 0);
}

TEST_F(ArchiveHistory, KnownOnesGetTheRunsTheyLackAndTheStopRuleHolds) {
  play_proposal(there, "tile", definition_text("tile"));
  play_red_run(there, "tile", "f1");
  bring();
  play_red_run(there, "tile", "f2");
  const MergedHistory merged = bring();
  EXPECT_EQ(merged.experiments.at(0).runs.size(), 1U);
  EXPECT_EQ(merged.experiments.at(0).before.state, ExperimentState::kOpen);
  EXPECT_EQ(fold(here.events("tile")).state, ExperimentState::kReverted);
  EXPECT_EQ(admit(fold(here.events("tile")), "f3").admission, Admission::kStopped);
}

TEST_F(ArchiveHistory, AnOlderArchiveOfAnExperimentThatWentOnIsANoOp) {
  play_proposal(there, "tile", definition_text("tile"));
  bring();
  play_red_run(here, "tile", "f1");
  EXPECT_TRUE(bring().experiments.at(0).runs.empty());
  EXPECT_EQ(fold(here.events("tile")).used_attempts(), 1);
}

TEST_F(ArchiveHistory, ANumberThatAnotherExperimentHas) {
  play_proposal(here, "panel", definition_text("panel"));
  play_proposal(there, "tile", definition_text("tile"));
  EXPECT_EQ(refusal(),
            "number 1 is panel here and tile there: `assay renumber tile 2` in the other workspace "
            "and export again, or `assay renumber panel 2` here");
}

TEST_F(ArchiveHistory, AnExperimentThatHasAnotherNumber) {
  play_proposal(there, "tile", definition_text("tile"));
  here.import_label({7, "tile"});
  EXPECT_EQ(refusal(),
            "tile is number 7 here and 1 there: `assay renumber tile 1` here, or `assay renumber "
            "tile 7` in the other workspace and export again");
}

TEST_F(ArchiveHistory, TheWayOutOfANumberClashWorks) {
  play_proposal(here, "panel", definition_text("panel"));
  play_proposal(there, "tile", definition_text("tile"));
  there.renumber({{9, "tile"}});
  here.together([&] { merge_history(here, read_history(files(there))); });
  EXPECT_EQ(here.find("tile")->number, 9);
}

// Numbers of one experiment that are taken on the other side; two experiments that change places.
TEST_F(ArchiveHistory, ClashesOfSeveralNumbers) {
  for (const char* slug : {"a", "b"}) play_proposal(there, slug, definition_text(slug));
  here.import_label({2, "a"});
  here.import_label({1, "c"});
  EXPECT_EQ(
      refusal(),
      "a is number 2 here and 1 there: `assay renumber a 3` here, and `assay renumber a 3` in "
      "the other workspace and export again");
  here.renumber({{1, "a"}, {2, "c"}});
  EXPECT_EQ(here.find("1")->slug, "a");
  EXPECT_EQ(here.find("2")->slug, "c");
}

TEST_F(ArchiveHistory, AnotherFrozenDefinitionIsRefusedWithTheDifference) {
  const std::string mine = definition_text("tile"), theirs = definition_text("tile", "Longer");
  play_proposal(here, "tile", mine);
  play_proposal(there, "tile", theirs);
  EXPECT_EQ(refusal().substr(0, 160),
            ("0001-tile: its frozen definition is another one here (" +
             sha256_hex(mine).substr(0, 12) + ") than there (" + sha256_hex(theirs).substr(0, 12) +
             "): give one of them another slug, and propose it\n--- here\n+++ there\n")
                .substr(0, 160));
  EXPECT_NE(refusal().find("\n-title: \"KV tile length\"\n+title: \"Longer\"\n"),
            std::string::npos);
}

TEST_F(ArchiveHistory, OneTextProposedOnBothSides) {
  play_proposal(here, "tile", definition_text("tile"));
  play_red_run(here, "tile", "f1");
  play_proposal(there, "tile", definition_text("tile"));
  play_proposal(there, "panel", definition_text("panel"));
  const std::string mine = export_experiment(here, *here.find("tile"));
  const MergedHistory merged = bring();
  ASSERT_EQ(merged.experiments.size(), 2U);
  EXPECT_TRUE(merged.experiments[0].runs.empty()) << "nothing came of it over there";
  EXPECT_EQ(merged.experiments[1].runs.size(), 1U);
  EXPECT_TRUE(merged.experiments[0].proposed_there);
  EXPECT_FALSE(merged.experiments[1].proposed_there);
  EXPECT_EQ(export_experiment(here, *here.find("tile")), mine);
  EXPECT_TRUE(here.integrity().empty());
}

TEST_F(ArchiveHistory, AProposalThatWasSharedIsNotOneOfItsOwn) {
  play_proposal(there, "tile", definition_text("tile"));
  bring();
  play_red_run(here, "tile", "f1");
  EXPECT_FALSE(bring().experiments.at(0).proposed_there);
}

TEST_F(ArchiveHistory, WhatWentOnOverThereOnlyIsTakenInOverThere) {
  play_proposal(here, "tile", definition_text("tile"));
  play_proposal(there, "tile", definition_text("tile"));
  play_red_run(there, "tile", "f1");
  const std::string said = refusal();
  EXPECT_NE(said.find("take this history in over there, where it went on, and then begin a fresh "
                      "workspace here"),
            std::string::npos)
      << said;
}

TEST_F(ArchiveHistory, NumbersAreSettledFirst) {
  play_proposal(here, "tile", definition_text("tile"));
  play_proposal(there, "tile", definition_text("tile", "Another"));
  play_proposal(here, "mine", definition_text("mine"));
  play_proposal(there, "theirs", definition_text("theirs"));
  EXPECT_EQ(refusal().substr(0, 42), "number 2 is mine here and theirs there: `a");
}

TEST_F(ArchiveHistory, HistoriesThatHaveGrownApart) {
  play_proposal(there, "tile", definition_text("tile"));
  bring();
  play_red_run(here, "tile", "f1");
  play_red_run(there, "tile", "f2");
  EXPECT_EQ(refusal(),
            "0001-tile: two histories of it have grown apart: 1 run here that the archive lacks, 1 "
            "there that are not here; a run follows one other only, so import into a fresh "
            "workspace");
}

TEST_F(ArchiveHistory, FilesThatNoArchiveHas) {
  const auto refused = [](const ArchiveFiles& files) -> std::string {
    try {
      read_history(files);
    } catch (const Error& error) {
      return error.what();
    }
    return "read";
  };
  EXPECT_EQ(refused({{"../../etc/passwd", "x"}}),
            "holds ../../etc/passwd, which belongs to no archive that this program knows");
  EXPECT_EQ(refused({{"experiments/notes/../../x.md", "x"}}),
            "holds notes on ../../x, but not its record");
  EXPECT_EQ(refused({{"results/records/0001-tile.json", "{}"}}),
            "results/records/0001-tile.json:1: a part is missing or of the wrong type");
  EXPECT_EQ(refused({{"experiments/seeds.yaml", "x"}}), "read");
}

TEST_F(ArchiveHistory, AnEditedRecordIsRefused) {
  play_proposal(there, "tile", definition_text("tile"));
  play_red_run(there, "tile", "f1");
  ArchiveFiles edited = files(there);
  std::string& text = edited.at("results/records/0001-tile.json");
  text.replace(text.find("token 19 differs"), 16, "token 18 differs");
  try {
    here.together([&] { merge_history(here, read_history(edited)); });
    FAIL() << "must throw";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what())
                  .find("its events do not match its seal: they were edited, or lost"),
              std::string::npos)
        << error.what();
  }
  EXPECT_TRUE(here.experiments().empty());
}

TEST_F(ArchiveHistory, NotesThatAreNoTextStopTheExport) {
  play_proposal(there, "tile", definition_text("tile"));
  write_text(folder.path() + "/experiments/notes/tile.md", "a\xff");
  try {
    files(there);
    FAIL() << "must throw";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "experiments/notes/tile.md: byte 1 is not UTF-8; an archive holds text only");
  }
}

}  // namespace
}  // namespace assay
