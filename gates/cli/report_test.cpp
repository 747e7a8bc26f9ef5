// `assay report` of the committed records: whole, short, and the same again.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "gates/cli/driven_program.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

TEST(Report, OfEveryCommittedRecordHasAtMostSixtyLines) {
  const TestWorkspace workspace;
  const fs::path source = ASSAY_SOURCE_ROOT;
  fs::copy(source / "results/records", workspace.path("results/records"),
           fs::copy_options::recursive);
  fs::copy(source / "experiments/notes", workspace.path("experiments/notes"),
           fs::copy_options::recursive);
  ASSERT_EQ(workspace.assay({"query"}).code, 0);
  const auto labels = Store(workspace.database()).experiments();
  ASSERT_GE(labels.size(), 19u);
  for (const ExperimentLabel& label : labels) {
    const Finished done = workspace.assay({"report", label.slug});
    EXPECT_EQ(done.code, 0) << label.slug;
    EXPECT_LE(std::count(done.out.begin(), done.out.end(), '\n'), 60) << label.slug;
    EXPECT_TRUE(done.out.starts_with("## " + std::to_string(label.number) + " \u00b7 "))
        << done.out;
    EXPECT_NE(done.out.find("\n\nRecord: ["), std::string::npos) << done.out;
    EXPECT_EQ(workspace.assay({"report", label.slug}).out, done.out);
  }
}

TEST(Report, SaysHowItEndedAndHowToMeasureItAgain) {
  const TestWorkspace workspace;
  {
    Store store(workspace.database());
    play_proposal(store, "tile", definition_text("tile"));
    play_timed_run(store, "tile", "f1", {});
    play_proposal(store, "asked", definition_text("asked"));
  }
  const std::string text = workspace.assay({"report", "1"}).out;
  for (const std::string part :
       {"## 1 \u00b7 KV tile length (LANDED)\n\n**Result:** LAND: +12.00 % (interval ",
        "| effect | +12.00 % (+11.00 % to +13.00 %, 4 pairs) |\n",
        "| gates | preflight, baseline, identity, parity, margin, ab green |\n",
        "```text\nlook, 2 pairs", "- from the recorded commit: `assay reproduce tile`\n",
        "Record: [0001-tile](results/records/0001-tile.md), with every pair, gate and source.\n"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  const std::string asked = workspace.assay({"report", "asked"}).out;
  EXPECT_NE(asked.find("no verdict yet; proposed"), std::string::npos) << asked;
  const Finished none = workspace.assay({"report", "nobody"});
  EXPECT_EQ(none.code, 2);
}

}  // namespace
}  // namespace assay
