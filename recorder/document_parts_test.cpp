// Parts of a record that not every one has: laws touched, replications, campaigns, values by name.
#include <gtest/gtest.h>

#include "experiments/record/replication.h"
#include "recorder/document.h"
#include "recorder/played_history.h"
#include "recorder/report.h"

namespace assay {
namespace {

class DocumentParts : public ::testing::Test {
 protected:
  DocumentParts() : store(folder.path() + "/assay.db") {}
  std::string render(const std::string& slug) {
    return render_record(store, *store.find(slug), folder.path());
  }
  std::string path(const std::string& relative) { return folder.path() + "/" + relative; }

  TemporaryFolder folder;
  Store store;
};

void expect_has(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "missing: " << part << "\nin:\n" << text;
}

// As gates/proposal stores them.
TEST_F(DocumentParts, LawsThatAProposalTouchedAreListed) {
  const std::string text = definition_text("tile");
  store.number_for("tile");
  const std::string run = store.open_run("tile", {"propose", "assay propose", nullptr});
  store.append(run, EventKind::kProposed,
               Proposed{text,
                        "",
                        {{"laws",
                          {{{"slug", "tiles-are-numeric"},
                            {"statement", "A tile is part of the arithmetic."},
                            {"says", "against"},
                            {"state", "upheld"},
                            {"evidence", {"tile", "hist-60"}},
                            {"answer", "This one moves no sum."}}}}}});
  store.end_run(run, {"proposed", 0, ""});
  expect_has(render("tile"),
             "### Laws touched\n\n"
             "- `tiles-are-numeric` (against, upheld): A tile is part of the arithmetic. Evidence: "
             "[0001-tile](0001-tile.md), `hist-60`. Answered: This one moves no sum.\n");
}

// Beside the verdict, never in it.
TEST_F(DocumentParts, ReplicationsStandBesideTheVerdict) {
  play_proposal(store, "tile", definition_text("tile"));
  EXPECT_EQ(render("tile").find("Replications"), std::string::npos);
  play_timed_run(store, "tile", "f1", {});
  expect_has(render("tile"),
             "### Replications\n\nNone yet: `assay reproduce tile` measures it again.\n");
  const std::string run = store.open_run(
      "tile", {"reproduce",
               "assay reproduce tile",
               {{"device", "GPU 9"},
                {"host", "far"},
                {"replicates", {{"attempt", 1}, {"how", "as-built"}, {"same_code", true}}}}});
  GateResult gate{"ab", "green", "", "measured again", {}, 9};
  Finding again;
  again.effect = {{"estimate", 0.058}, {"low", 0.05}, {"high", 0.07}, {"pairs", 16}};
  gate.values = {{"stored", finding_of(*fold(store.events("tile")).attempts[0].verdict)},
                 {"again", again}};
  store.append(run, EventKind::kGateResult, gate);
  store.end_run(run, {"agrees", 0, ""});
  const std::string text = render("tile");
  expect_has(text,
             "### Replications\n\nMeasured again later. The verdict stays; no pair is pooled "
             "with it.\n");
  expect_has(text,
             "| GPU 9, far | 1, as-built | 1 green | +6.00 % (+3.00 % to +12.00 %, 2 pairs) | "
             "+5.80 % (+5.00 % to +7.00 %, 16 pairs) | agrees |\n");
  write_text(path("experiments/notes/tile.md"),
             "## Lessons\n\nAgain {{replication1.effect}} over {{replication1.pairs}}: it "
             "{{replication1.outcome}}.\n");
  expect_has(render("tile"), "\nAgain +5.80 % over 16 pairs: it agrees.\n");
  expect_has(render_report(store, *store.find("tile"), folder.path()),
             "| measured again | once: agrees |\n");
}

TEST_F(DocumentParts, TheIndexHasCampaigns) {
  play_proposal(store, "one", definition_text("one") + "campaign: seeds\n");
  play_proposal(store, "two", definition_text("two") + "campaign: seeds\n");
  play_proposal(store, "three", definition_text("three"));
  expect_has(render_index(store, folder.path()),
             "## By campaign\n\n"
             "- `seeds` (2): [0001](records/0001-one.md), [0002](records/0002-two.md)\n");
  expect_has(render("one"), "\nPart of the campaign `seeds`.\n");
}

// Names that are values, in notes.
TEST_F(DocumentParts, NotesShowValuesByTheirNames) {
  play_proposal(store, "tile", definition_text("tile"));
  play_timed_run(store, "tile", "f1", {});
  write_text(path("experiments/notes/tile.md"),
             "## Lessons\n\nGave {{ab.effect}} over {{ ab.pairs }}, `{{ab.effect}}` and "
             "{{ab.efect}}.\n\n```\n{{ab.low}}\n```\n\n## Corrections\n\n"
             "2026-11-30 (lessons): it said \"over {{ ab.pairs }}\"; correct is: over more.\n");
  const std::string text = render("tile");
  expect_has(text,
             "\nGave +12.00 % over 4 pairs (corrected 2026-11-30, see Corrections), "
             "`{{ab.effect}}` and {{ab.efect}}.\n\n```\n{{ab.low}}\n```\n");
  expect_has(text, "\n2026-11-30 (lessons): it said \"over 4 pairs\"; correct is: over more.\n");
}

}  // namespace
}  // namespace assay
