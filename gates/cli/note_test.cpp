// assay note as a user calls it: words as they were typed, notes behind a link, and the editor.
#include <gtest/gtest.h>

#include <filesystem>

#include "gates/cli/driven_program.h"
#include "gates/cli/notes.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

class NoteTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Store store(workspace.database());
    play_proposal(store, "tile", definition_text("tile"));
  }
  std::string notes() const { return read_text(workspace.path("experiments/notes/tile.md")); }
  std::string draft() const { return workspace.path("results/note-tile.md"); }
  // `script` has the file's name in $1.
  Finished edit(const std::string& script) const {
    write_text(workspace.path("editor.sh"), script + "\n");
    return workspace.assay({"note", "tile"}, {{"VISUAL", "sh " + workspace.path("editor.sh")}});
  }

  TestWorkspace workspace;
};

TEST_F(NoteTest, WordsInBracketsStayWhole) {
  for (const std::string text : {"[tile=4, then 8]", "[]", "[a,b]\x01", "{}"}) {
    ASSERT_EQ(workspace.assay({"note", "tile", text}).code, 0) << text;
    EXPECT_NE(notes().find(today() + ": " + text + "\n"), std::string::npos) << notes();
  }
  ASSERT_EQ(workspace.assay({"note", "tile", "[a,b]", "and", "[c]"}).code, 0);
  EXPECT_NE(notes().find(": [a,b] and [c]\n"), std::string::npos) << notes();
}

TEST_F(NoteTest, ALinkStaysAndItsTargetHasTheNote) {
  const std::string link = workspace.path("experiments/notes/tile.md");
  const std::string target = workspace.path("elsewhere.md");
  write_text(target, empty_notes("tile"));
  fs::create_directories(workspace.path("experiments/notes"));
  fs::create_symlink(target, link);
  ASSERT_EQ(workspace.assay({"note", "tile", "one"}).code, 0);
  ASSERT_EQ(edit("echo two >> \"$1\"").code, 0);
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(read_text(target),
            with_note(empty_notes("tile"), "Lessons", today() + ": one") + "two\n");
}

TEST_F(NoteTest, OthersWriteWhileTheEditorIsOpen) {
  {
    Store store(workspace.database());
    play_proposal(store, "other", definition_text("other"));
  }
  const Finished done = edit("'" + std::string(ASSAY_BIN) +
                             "/assay' note other meanwhile > /dev/null && echo typed >> \"$1\"");
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.out,
            "note    experiments/notes/tile.md (edited)\n"
            "record  results/records/0001-tile.md\n");
  EXPECT_EQ(notes(), empty_notes("tile") + "typed\n");
  EXPECT_FALSE(fs::exists(draft()));
}

TEST_F(NoteTest, WhatWasTypedIsKeptWhereTheNotesChangedMeanwhile) {
  const Finished done = edit("'" + std::string(ASSAY_BIN) +
                             "/assay' note tile meanwhile > /dev/null; echo typed >> \"$1\"");
  EXPECT_EQ(done.code, 2);
  EXPECT_EQ(done.err,
            "assay: experiments/notes/tile.md was changed while the editor was open; nothing was "
            "written; what was typed is kept in " +
                fs::canonical(draft()).string() +
                ": copy into the notes what belongs there, then remove it\n");
  EXPECT_EQ(notes(), with_note(empty_notes("tile"), "Lessons", today() + ": meanwhile"));
  EXPECT_EQ(read_text(draft()), empty_notes("tile") + "typed\n");
  // The next one has a draft of its own.
  EXPECT_EQ(edit("echo more >> \"$1\"").code, 0);
  EXPECT_EQ(read_text(draft()), empty_notes("tile") + "typed\n");
}

TEST_F(NoteTest, AnEditorThatChangesNothingLeavesNoFile) {
  EXPECT_EQ(edit("exit 0").out, "note    experiments/notes/tile.md (nothing was typed)\n");
  const Finished failed = edit("exit 7");
  EXPECT_EQ(failed.code, 2);
  EXPECT_TRUE(failed.err.ends_with("editor.sh` ended with 7; nothing was written\n")) << failed.err;
  EXPECT_FALSE(fs::exists(workspace.path("experiments/notes/tile.md")));
  EXPECT_FALSE(fs::exists(draft()));
}

TEST_F(NoteTest, BytesOfTheEditorThatAreNotUtf8AreRefusedAndKept) {
  const Finished done = edit("printf 'a\\377' > \"$1\"");
  EXPECT_EQ(done.code, 2);
  EXPECT_TRUE(done.err.starts_with(
      "assay: note: what was typed: byte 1 is not UTF-8; what was typed is kept in "))
      << done.err;
  EXPECT_FALSE(fs::exists(workspace.path("experiments/notes/tile.md")));
  EXPECT_EQ(read_text(draft()), "a\xff");
}

TEST_F(NoteTest, WhatWasTypedIsKeptWhereTheEditorFails) {
  const Finished done = edit("echo typed >> \"$1\"; exit 3");
  EXPECT_EQ(done.code, 2);
  EXPECT_TRUE(done.err.ends_with("ended with 3; nothing was written; what was typed is kept in " +
                                 fs::canonical(draft()).string() + "\n"))
      << done.err;
  EXPECT_EQ(read_text(draft()), empty_notes("tile") + "typed\n");
}

}  // namespace
}  // namespace assay
