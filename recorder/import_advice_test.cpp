// Who is blamed for a difference between a committed file and the database, and what to do then.
#include "recorder/import_advice.h"

#include <gtest/gtest.h>

#include "recorder/calibration_form.h"
#include "recorder/document.h"
#include "recorder/played_history.h"
#include "recorder/text_form.h"

namespace assay {
namespace {

std::string only_finding(Store& store, const std::string& workspace) {
  const ImportReport report = import_workspace(store, workspace);
  EXPECT_EQ(report.findings.size(), 1u);
  return report.findings.empty() ? "" : report.findings[0].text;
}

TEST(ImportAdvice, OfAnEffectNobodyKnowsWhichOfTheTwoWasChanged) {
  const TemporaryFolder folder;
  Store store(folder.path() + "/assay.db");
  play_calibration(store, "cpu/embedded");
  write_all(store, folder.path());
  const std::string path = folder.path() + "/" + kCalibrationsPath;
  std::string text = read_text(path);
  const std::size_t at = text.find("0.002");
  ASSERT_NE(at, std::string::npos);
  write_text(path, text.replace(at, 5, "0.00275"));
  const std::string found = only_finding(store, folder.path());
  EXPECT_NE(found.find("with other values; one of the two was changed, and no seal says which: "
                       "`git diff -- results/calibrations.json` and `git log -p -- "
                       "results/calibrations.json` show whether the file was. Then restore it "
                       "(git checkout -- results/calibrations.json), else move the database away"),
            std::string::npos)
      << found;
  EXPECT_EQ(found.find("sound by itself"), std::string::npos) << found;
}

// A record whose every seal is right, under another slug and number.
TEST(ImportAdvice, ARecordWithAnothersRunsIsToBeMovedAway) {
  const TemporaryFolder folder, other;
  Store store(folder.path() + "/assay.db");
  play_proposal(store, "tile", definition_text("tile"));
  play_red_run(store, "tile", "f1");
  write_all(store, folder.path());
  Store::ImportedExperiment forged =
      read_record_text(read_text(folder.path() + "/results/records/0001-tile.json"), "0001-tile");
  forged.label = {2, "copy"};
  std::string previous;
  for (auto& [run, events] : forged.runs) {
    run.slug = "copy";
    for (Event& event : events) event.slug = "copy";
    run.previous = previous;
    previous = run.seal = seal_of(run.previous, events);
  }
  Store forger(other.path() + "/assay.db");
  forger.import_experiment(forged);
  write_text(folder.path() + "/results/records/0002-copy.json",
             export_experiment(forger, forged.label));
  const std::string found = only_finding(store, folder.path());
  EXPECT_NE(found.find("): is run 0 of tile here; two experiments cannot share a run: move this "
                       "file away, which is a copy under another slug, or forged"),
            std::string::npos)
      << found;
  EXPECT_EQ(found.find("database"), std::string::npos) << found;
  EXPECT_EQ(store.experiments().size(), 1u);
}

}  // namespace
}  // namespace assay
