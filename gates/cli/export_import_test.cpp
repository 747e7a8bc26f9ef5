// The way home: what a borrowed machine measured and landed, in the workspace that it came from.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "experiments/service_map.h"
#include "gates/cli/borrowed_machine.h"
#include "recorder/text_form.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

class WayHome : public testing::Test {
 protected:
  Finished bring(const std::string& archive) const { return home.assay({"import", archive}); }
  std::string map_here() const { return read_text(home.path("experiments/in_service.yaml")); }
  void expect_check_green(const std::string& root) const {
    const Finished check = run_assay(root, {"check"});
    EXPECT_EQ(check.code, 0) << check.out << check.err;
    EXPECT_EQ(check.err, "") << "nothing was left to tidy up";
  }

  BorrowedMachine borrowed;
  TestWorkspace home;
};

TEST_F(WayHome, ALandComesWithItsRowItsRecordAndItsCalibrations) {
  ASSERT_EQ(borrowed.run_unroll_two(), ExperimentState::kLanded);
  write_text(borrowed.path("experiments/notes/unroll-two.md"), "# Notes\n\n## Lessons\n\nTwo.\n");
  ASSERT_EQ(borrowed.assay({"index"}).code, 0);
  const std::string archive = borrowed.exported();
  const Finished done = bring(archive);
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.err, "");
  EXPECT_EQ(done.out,
            "0001 unroll-two: 2 runs, landed\n"
            "20 A/A effects\n"
            "experiments/in_service.yaml: rms_norm on cpu-avx2 is served by "
            "rms_norm.cpu.avx2[unroll=2] now, by unroll-two\n"
            "wrote   experiments/definitions/unroll-two.yaml\n"
            "wrote   experiments/notes/unroll-two.md\n"
            "wrote   experiments/in_service.yaml\n");
  EXPECT_EQ(map_here(), borrowed.lab.service_map());
  std::map<std::string, std::string> there = files_of(borrowed.lab.path());
  there["experiments/definitions/unroll-two.yaml"] = borrowed.lab.definition_text;
  EXPECT_EQ(files_of(home.root()), there);
  expect_check_green(home.root());
  expect_check_green(borrowed.lab.path());
  const Store here(home.database()), away(borrowed.path("results/assay.db"));
  EXPECT_EQ(nlohmann::json(here.aa_effects()), nlohmann::json(away.aa_effects()));
  EXPECT_TRUE(here.unfinished_runs().empty());
}

TEST_F(WayHome, ExportOfTheSameHistoryIsTheSameFile) {
  ASSERT_EQ(borrowed.run_unroll_two(), ExperimentState::kLanded);
  const std::string archive = borrowed.exported();
  EXPECT_EQ(read_text(borrowed.exported("again.assay")), read_text(archive));
  ASSERT_EQ(bring(archive).code, 0);
  ASSERT_EQ(home.assay({"export", "home.assay"}).code, 0);
  EXPECT_EQ(read_text(home.path("home.assay")), read_text(archive));
}

TEST_F(WayHome, ImportTwiceIsOnce) {
  ASSERT_EQ(borrowed.run_unroll_two(), ExperimentState::kLanded);
  const std::string archive = borrowed.exported();
  ASSERT_EQ(bring(archive).code, 0);
  const std::map<std::string, std::string> files = files_of(home.root());
  const std::size_t runs = Store(home.database()).runs("").size();
  const Finished again = bring(archive);
  EXPECT_EQ(again.code, 0);
  EXPECT_EQ(again.out, "all of it is here already; nothing changed\n");
  EXPECT_EQ(files_of(home.root()), files);
  EXPECT_EQ(Store(home.database()).runs("").size(), runs) << "not even a run of its own";
}

TEST_F(WayHome, SeveralLandsAreMadeInTheirOrder) {
  // Both change one row, so that only one order leads anywhere; the first has the higher number.
  {
    Store store(borrowed.path("results/assay.db"));
    store.number_for("tile-128");
  }
  ASSERT_EQ(borrowed.run_tile("tile-64", SimulatedWorkspace::kTile64), ExperimentState::kLanded);
  ASSERT_EQ(borrowed.run_tile("tile-128", SimulatedWorkspace::kTile128, 0.8),
            ExperimentState::kLanded);
  const Finished done = bring(borrowed.exported());
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(map_here(), borrowed.lab.service_map());
  EXPECT_LT(done.out.find("[tkv=64] now, by tile-64"), done.out.find("[tkv=128] now, by tile-128"));
  expect_check_green(home.root());
}

TEST_F(WayHome, AMapThatCameBeforeItsHistoryStays) {
  ASSERT_EQ(borrowed.run_tile("tile-64", SimulatedWorkspace::kTile64), ExperimentState::kLanded);
  ASSERT_EQ(borrowed.run_tile("tile-128", SimulatedWorkspace::kTile128, 0.8),
            ExperimentState::kLanded);
  write_text(home.path("experiments/in_service.yaml"), borrowed.lab.service_map());
  const Finished done = bring(borrowed.exported());
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(map_here(), borrowed.lab.service_map());
  EXPECT_EQ(done.out.find("now, by"), std::string::npos) << done.out;
  expect_check_green(home.root());
}

TEST_F(WayHome, ARowThatChangedHereMeanwhileStays) {
  ASSERT_EQ(borrowed.run_unroll_two(), ExperimentState::kLanded);
  ServiceMap map = parse_service_map(map_here(), "map");
  map.devices.at("cpu-avx2").at("rope").at(0).row.variant = "rope.cpu.portable";
  write_text(home.path("experiments/in_service.yaml"), emit(map));
  const Finished done = bring(borrowed.exported());
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_TRUE(
      done.out.ends_with("experiments/in_service.yaml differs from the archive's in rows "
                         "that this import does not change; they stay as they are\n"))
      << done.out;
  map.devices.at("cpu-avx2").at("rms_norm").at(0) = {
      {"", 1, map.devices.at("cpu-avx2").at("rms_norm").at(0).row.high,
       SimulatedWorkspace::kCandidate},
      "unroll-two"};
  EXPECT_EQ(map_here(), emit(map));
}

TEST_F(WayHome, ARevertGoesOnWhereItWas) {
  ASSERT_EQ(borrowed.run_unroll_two(1.1), ExperimentState::kOpen);
  const std::string before = map_here();
  ASSERT_EQ(bring(borrowed.exported("first.assay")).code, 0);
  EXPECT_EQ(map_here(), before);
  borrowed.lab.edit_code(SimulatedWorkspace::kCandidate, "another code");
  ASSERT_EQ(borrowed.run_unroll_two(1.1), ExperimentState::kReverted);
  const Finished done = bring(borrowed.exported("second.assay"));
  EXPECT_EQ(done.out, "0001 unroll-two: 1 run more, reverted\n") << done.err;
  const Store here(home.database()), away(borrowed.path("results/assay.db"));
  const ExperimentView view = fold(here.events("unroll-two"));
  EXPECT_EQ(view.used_attempts(), 2);
  EXPECT_EQ(admit(view, "a third").admission, Admission::kStopped);
  const Finished query = home.assay({"query", "--json"});
  EXPECT_EQ(query.out, borrowed.assay({"query", "--json"}).out);
  expect_check_green(home.root());
}

TEST_F(WayHome, PartsOfAHistory) {
  ASSERT_EQ(borrowed.run_unroll_two(), ExperimentState::kLanded);
  ASSERT_EQ(borrowed.run_tile("tile-64", SimulatedWorkspace::kTile64, 1.1), ExperimentState::kOpen);
  const Finished since = borrowed.assay({"export", "since.assay", "--since", "2", "--json"});
  ASSERT_EQ(since.code, 0) << since.err;
  const nlohmann::json said = nlohmann::json::parse(since.out);
  EXPECT_EQ(said.at("experiments"), 1);
  EXPECT_EQ(said.at("lands"), 0);
  EXPECT_EQ(said.at("bytes"), read_text(borrowed.path("since.assay")).size());
  ASSERT_EQ(borrowed.assay({"export", "slug.assay", "tile-64", "2"}).code, 0);
  EXPECT_EQ(read_text(borrowed.path("slug.assay")), read_text(borrowed.path("since.assay")));
  const Finished done = home.assay({"import", borrowed.path("since.assay"), "--json"});
  ASSERT_EQ(done.code, 0) << done.err;
  const nlohmann::json taken = nlohmann::json::parse(done.out);
  EXPECT_EQ(taken.at("experiments").at(0).at("slug"), "tile-64");
  EXPECT_EQ(taken.at("changed"), true);
  EXPECT_FALSE(Store(home.database()).find("unroll-two"));
  ASSERT_EQ(bring(borrowed.exported("all.assay")).code, 0);
  EXPECT_EQ(map_here(), borrowed.lab.service_map());
}

TEST_F(WayHome, ALandedRowThatIsEditedIsFoundAndSettled) {
  ASSERT_EQ(borrowed.run_unroll_two(), ExperimentState::kLanded);
  const std::string before = map_here();
  ASSERT_EQ(bring(borrowed.exported()).code, 0);
  const std::string landed = map_here();
  write_text(home.path("experiments/in_service.yaml"), before);
  const Finished check = home.assay({"check"});
  EXPECT_EQ(check.code, 3);
  EXPECT_EQ(check.out,
            "experiments/in_service.yaml: rms_norm on cpu-avx2 is served by "
            "rms_norm.cpu.avx2[unroll=1] (by incumbent), and unroll-two landed "
            "rms_norm.cpu.avx2[unroll=2] there: `assay apply unroll-two` puts the landed row back, "
            "`assay apply unroll-two --discard` records that the map stays as it is\n"
            "check: 1 experiment, 2 runs, 1 verdict: 1 finding\n");
  EXPECT_EQ(
      home.assay({"apply", "1", "--discard"}).out,
      "0001 unroll-two: the LAND stays on record, and experiments/in_service.yaml stays as it "
      "is\n");
  expect_check_green(home.root());
  EXPECT_EQ(home.assay({"apply", "1"}).code, 0);
  EXPECT_EQ(map_here(), landed);
  expect_check_green(home.root());
  // What was settled is in the record, so it outlives the database.
  for (const char* end : {"", "-wal", "-shm"}) fs::remove(home.database() + end);
  EXPECT_EQ(home.assay({"check"}).code, 0);
  write_text(home.path("experiments/in_service.yaml"), "{{{\n");
  EXPECT_TRUE(home.assay({"check"}).out.starts_with("experiments/in_service.yaml:1:"));
}

// As a version that did not ask for the sources left it.
TEST_F(WayHome, SourcesThatWereLackingReachTheRecord) {
  ASSERT_EQ(borrowed.run_unroll_two(1.1), ExperimentState::kOpen);
  const std::string archive = borrowed.exported();
  const std::string record = "results/records/0001-unroll-two.json";
  {
    const Store::ImportedExperiment whole =
        read_record_text(read_text(borrowed.path(record)), "0001-unroll-two");
    Store store(home.database());
    store.import_label(whole.label);
    for (const auto& [run, events] : whole.runs) store.import_run(run, events);
  }
  const Finished done = bring(archive);
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_TRUE(done.out.starts_with("0001 unroll-two: 2 sources that its record lacked\n"))
      << done.out;
  EXPECT_EQ(read_text(home.path(record)), read_text(borrowed.path(record)));
  expect_check_green(home.root());
}

TEST_F(WayHome, TheCalibrationsOutliveTheDatabase) {
  ASSERT_EQ(bring(borrowed.exported()).code, 0);
  for (const char* end : {"", "-wal", "-shm"}) fs::remove(home.database() + end);
  EXPECT_EQ(home.assay({"query"}).err,
            "assay: imported 20 A/A effects from results/calibrations.json\n"
            "assay: no experiments yet: `assay propose FILE` makes the first\n");
  EXPECT_EQ(Store(home.database()).aa_effects().size(), 20U);
}

}  // namespace
}  // namespace assay
