#include "gates/cli/notes.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Notes, ParagraphsGoToTheEndOfTheirSection) {
  std::string notes = with_note(empty_notes("kv-tile"), "Veto mechanism", "2026-11-29: the fork");
  notes = with_note(notes, "Lessons", "2026-11-29: one");
  notes = with_note(notes, "Lessons", "2026-11-30: two");
  EXPECT_EQ(notes,
            "# Notes on kv-tile\n\n"
            "## Lessons\n\n2026-11-29: one\n\n2026-11-30: two\n\n"
            "## Veto mechanism\n\n2026-11-29: the fork\n\n"
            "## Retry condition\n\n## Corrections\n");
}

TEST(Notes, LastSectionAndForeignTextKeepTheirBytes) {
  const std::string notes = "Own words\nabout ## Lessons here.\n\n## Corrections\nold\n";
  EXPECT_EQ(with_note(notes, "Corrections", "new"),
            "Own words\nabout ## Lessons here.\n\n## Corrections\nold\n\nnew\n");
}

TEST(Notes, MissingSectionIsAdded) {
  EXPECT_EQ(with_note("words\n", "Lessons", "new"), "words\n\n## Lessons\n\nnew\n");
  EXPECT_EQ(with_note("words", "Lessons", "new"), "words\n\n## Lessons\n\nnew\n");
  EXPECT_EQ(with_note("", "Lessons", "new"), "## Lessons\n\nnew\n");
}

TEST(Notes, SubheadingsBelongToTheirSection) {
  EXPECT_EQ(with_note("## Lessons\n\n### On copies\ntext\n\n## Corrections\n", "Lessons", "new"),
            "## Lessons\n\n### On copies\ntext\n\nnew\n\n## Corrections\n");
}

}  // namespace
}  // namespace assay
