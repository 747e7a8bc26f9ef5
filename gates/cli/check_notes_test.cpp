// What `check` says of the files that people write: notes and historical entries.
#include <gtest/gtest.h>

#include <filesystem>
#include <utility>

#include "gates/cli/driven_program.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNotes = "experiments/notes/tile.md";

constexpr const char* kLaw = R"(version: 1
laws:
  - slug: query-tile-is-arithmetic
    statement: The query tile is part of what prefill attention computes.
    when: {op: attention_prefill, changes: [tq]}
    then: {not_class: bitwise}
    evidence: [hist-60]
    refuted_by: An experiment of class bitwise that changes tq and is green at identity.
)";

class PeoplesFiles : public testing::Test {
 protected:
  PeoplesFiles() {
    {
      Store store(workspace.database());
      play_proposal(store, "tile", definition_text("tile"));
      play_red_run(store, "tile", "f1");
      play_red_run(store, "tile", "f2");
    }
    EXPECT_EQ(workspace.assay({"index"}).code, 0);
  }
  TestWorkspace workspace;
};

TEST_F(PeoplesFiles, NotesThatAreGoneAreToBeRestored) {
  const std::string finding =
      "experiments/notes/tile.md:1: is gone, and results/records/0001-tile.md still shows what it "
      "said; restore it (git checkout -- experiments/notes/tile.md), or `assay index` takes its "
      "text out of the record\n";
  EXPECT_EQ(workspace.assay({"check"}).code, 0) << "there never were any";
  for (const char* section : {"Lessons", "Veto mechanism", "Retry condition"}) {
    ASSERT_EQ(workspace.assay({"note", "tile", "A tile is a tile.", "--section", section}).code, 0);
    EXPECT_EQ(workspace.assay({"check"}).code, 0);
    fs::remove(workspace.path(kNotes));
    const Finished check = workspace.assay({"check"});
    EXPECT_EQ(check.code, 3);
    EXPECT_NE(check.out.find(finding), std::string::npos) << section << "\n" << check.out;
    EXPECT_EQ(check.out.find("\nresults/records/"), std::string::npos) << check.out;
    EXPECT_FALSE(check.out.starts_with("results/records/")) << check.out;
    ASSERT_EQ(workspace.assay({"index"}).code, 0);
    EXPECT_EQ(workspace.assay({"check"}).code, 0) << "taken out, as was said";
  }
}

TEST_F(PeoplesFiles, ADocumentStaysWhileItsHistoricalEntryCannotBeRead) {
  const std::string entry = workspace.path("experiments/historical/hist-60.yaml");
  const std::string document = workspace.path("results/records/hist-60-attention-double-buffer.md");
  fs::create_directories(fs::path(entry).parent_path());
  fs::copy_file(std::string(ASSAY_SOURCE_ROOT) + "/experiments/historical/hist-60.yaml", entry,
                fs::copy_options::overwrite_existing);
  write_text(workspace.path("experiments/laws.yaml"), kLaw);
  ASSERT_EQ(workspace.assay({"index"}).code, 0);
  EXPECT_EQ(workspace.assay({"check"}).code, 0);
  const std::string shown = read_text(document);
  const std::string whole = read_text(entry);
  write_text(entry, "id: [\n");
  const Finished check = workspace.assay({"check"});
  EXPECT_EQ(check.code, 3);
  EXPECT_NE(check.out.find("experiments/historical/hist-60.yaml:"), std::string::npos);
  EXPECT_EQ(check.out.find("hist-60-attention-double-buffer.md:"), std::string::npos) << check.out;
  EXPECT_EQ(check.out.find("results/index.md:"), std::string::npos) << check.out;
  EXPECT_EQ(check.out.find("experiments/laws.yaml:"), std::string::npos) << check.out;
  const std::string index = read_text(workspace.path("results/index.md"));
  const Finished refused = workspace.assay({"index"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("nothing was written: these entries are to be mended first"),
            std::string::npos)
      << refused.err;
  EXPECT_EQ(read_text(document), shown);
  EXPECT_EQ(workspace.assay({"note", "tile", "a word"}).code, 0);
  EXPECT_EQ(read_text(workspace.path("results/index.md")), index) << "it would lose a line";
  fs::remove(entry);
  EXPECT_NE(workspace.assay({"index"}).out.find("removed results/records/hist-60-"),
            std::string::npos);
  EXPECT_FALSE(fs::exists(document));
}

TEST_F(PeoplesFiles, AMergeConflictInNotesIsToBeSettled) {
  const std::string path = workspace.path(kNotes);
  const std::string heading = "## Lessons\n\nLessons\n=======\n\n";
  fs::create_directories(fs::path(path).parent_path());
  write_text(path, heading);
  ASSERT_EQ(workspace.assay({"index"}).code, 0) << "an underlined heading";
  EXPECT_EQ(workspace.assay({"check"}).code, 0);
  const std::string shown = read_text(workspace.path("results/records/0001-tile.md"));
  const std::string conflict =
      heading + "<<<<<<< HEAD\nmine\n=======\ntheirs\n>>>>>>> other\n\nend\n=======\n";
  write_text(path, conflict);
  std::string found;
  for (const auto& [line, marker] : {std::pair(6, "<<<<<<<"), {8, "======="}, {10, ">>>>>>>"}}) {
    found += kNotes + (":" + std::to_string(line)) + ": is " + marker +
             ", a merge conflict's marker: keep what is right of both sides, remove the markers, "
             "then run `assay index`\n";
  }
  const Finished check = workspace.assay({"check"});
  EXPECT_EQ(check.code, 3);
  EXPECT_NE(check.out.find(found), std::string::npos) << check.out;
  const Finished index = workspace.assay({"index"});
  EXPECT_EQ(index.code, 2);
  EXPECT_EQ(index.err,
            "assay: " + found + "nothing was written: these notes are to be mended first\n");
  const Finished note = workspace.assay({"note", "tile", "More."});
  EXPECT_EQ(note.code, 2);
  EXPECT_EQ(note.err, "assay: " + found + "nothing was written\n");
  EXPECT_EQ(read_text(path), conflict);
  EXPECT_EQ(read_text(workspace.path("results/records/0001-tile.md")), shown);
}

}  // namespace
}  // namespace assay
