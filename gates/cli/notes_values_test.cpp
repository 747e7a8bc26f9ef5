// Numbers in notes: by name, or typed and held against the record.
#include <gtest/gtest.h>

#include <filesystem>

#include "gates/cli/driven_program.h"
#include "gates/cli/notes.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

class ValuesInNotes : public testing::Test {
 protected:
  ValuesInNotes() {
    {
      Store store(workspace.database());
      play_proposal(store, "tile", definition_text("tile"));
      play_timed_run(store, "tile", "f1", {});
    }
    EXPECT_EQ(workspace.assay({"index"}).code, 0);
  }
  TestWorkspace workspace;
  const std::string notes = "experiments/notes/tile.md";
};

TEST_F(ValuesInNotes, AreListedByShow) {
  const Finished done = workspace.assay({"show", "tile", "--values"});
  EXPECT_EQ(done.code, 0);
  EXPECT_NE(done.out.find("\nab.effect "), std::string::npos) << done.out;
  EXPECT_NE(done.out.find("  +12.00 %\n"), std::string::npos) << done.out;
  const Finished both = workspace.assay({"show", "tile", "--values", "--source", "x"});
  EXPECT_EQ(both.code, 2);
}

TEST_F(ValuesInNotes, AStoredSourceIsPrinted) {
  const Finished none = workspace.assay({"show", "tile", "--source", "kernels/nothing.cpp"});
  EXPECT_EQ(none.code, 2);
  EXPECT_EQ(none.err,
            "assay: show: --source kernels/nothing.cpp: no stored source of tile is called so; the "
            "record lists them with their SHA-256, of which 8 digits or more will do\n");
}

TEST_F(ValuesInNotes, AnUnknownNameWritesNothing) {
  const Finished done = workspace.assay({"note", "tile", "gave {{ab.efect}}"});
  EXPECT_EQ(done.code, 2);
  EXPECT_EQ(done.err, "assay: " + notes +
                          ":5:18: {{ab.efect}} is no value of tile; did you mean `ab.effect`?\n"
                          "nothing was written\n");
  EXPECT_FALSE(fs::exists(workspace.path(notes)));
}

TEST_F(ValuesInNotes, IndexAndCheckNameThePlace) {
  write_text(workspace.path(notes), "## Lessons\n\n{{zzzzzzz}}\n");
  const std::string line =
      notes + ":3:1: {{zzzzzzz}} is no value of tile; `assay show tile --values` lists them";
  const Finished index = workspace.assay({"index"});
  EXPECT_EQ(index.code, 2);
  EXPECT_EQ(index.err,
            "assay: " + line + "\nnothing was written: these notes are to be mended first\n");
  const Finished check = workspace.assay({"check", "--files"});
  EXPECT_EQ(check.code, 3);
  EXPECT_NE(check.out.find(line + "\n"), std::string::npos) << check.out;
}

TEST_F(ValuesInNotes, ATypedNumberThatIsCloseIsFound) {
  ASSERT_EQ(workspace.assay({"note", "tile", "gave 12.3 %, predicted {{bar}}"}).code, 0);
  const Finished check = workspace.assay({"check", "--files"});
  EXPECT_EQ(check.code, 3);
  EXPECT_EQ(check.out,
            notes +
                ":5:18: 12.3 % was typed by hand, and ab.effect is +12.00 %: write {{ab.effect}}, "
                "or the number that is meant in other words\n"
                "check: 1 experiment, 2 runs, 1 verdict: 1 finding\n");
}

TEST_F(ValuesInNotes, NotesOfNobodyAreFound) {
  write_text(workspace.path("experiments/notes/README.md"), "About notes.\n");
  EXPECT_EQ(workspace.assay({"check", "--files"}).code, 0);
  write_text(workspace.path("experiments/notes/tyle.md"), "# Notes\n\n## Lessons\n\nLost.\n");
  const Finished check = workspace.assay({"check", "--files"});
  EXPECT_EQ(check.code, 3);
  EXPECT_EQ(
      check.out,
      "experiments/notes/tyle.md:1: belongs to no experiment of the history: nothing shows it; "
      "give it the name of one, or move it away\n"
      "check: 1 experiment, 2 runs, 1 verdict: 1 finding\n");
}

// What was said stays, and is no claim any more.
TEST_F(ValuesInNotes, ACorrectionShowsWhatWasSaid) {
  ASSERT_EQ(workspace.assay({"note", "tile", "gave 12.3 % of the step"}).code, 0);
  const Finished done =
      workspace.assay({"note", "tile", "--corrects", "12.3 % of the step", "{{ab.effect}} of it."});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.out,
            "note    " + notes + " (Corrections)\nrecord  results/records/0001-tile.md\n");
  const std::string record = read_text(workspace.path("results/records/0001-tile.md"));
  EXPECT_NE(record.find("gave 12.3 % of the step (corrected " + today() + ", see Corrections)\n"),
            std::string::npos);
  EXPECT_NE(
      record.find(today() + " (lessons): it said \"12.3 % of the step\"; correct is: +12.00 % "
                            "of it.\n"),
      std::string::npos);
  EXPECT_EQ(workspace.assay({"check", "--files"}).code, 0);
  ASSERT_EQ(workspace.assay({"note", "tile", "--corrects", "more of K in", "of V, too"}).code, 0);
  EXPECT_NE(read_text(workspace.path("results/records/0001-tile.md"))
                .find("A longer tile keeps more of K in (corrected " + today() +
                      ", see Corrections) the cache."),
            std::string::npos)
      << "the definition's own words";
  EXPECT_EQ(workspace.assay({"check", "--files"}).code, 0);
  const Finished lost = workspace.assay({"note", "tile", "--corrects", "never said", "x"});
  EXPECT_EQ(lost.code, 2);
  EXPECT_EQ(
      lost.err,
      "assay: note: --corrects: these words stand neither in the notes nor in the definition: "
      "copy those that were said, enough of them to be found once; nothing was written\n");
  EXPECT_EQ(workspace.assay({"note", "tile", "--corrects", "gave"}).code, 2);
}

}  // namespace
}  // namespace assay
