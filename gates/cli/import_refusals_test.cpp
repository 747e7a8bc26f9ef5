// What cannot come in changes nothing: not the database, not a file.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>

#include "experiments/service_map.h"
#include "gates/cli/borrowed_machine.h"
#include "recorder/archive.h"
#include "recorder/text_form.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

class ImportRefused : public testing::Test {
 protected:
  ImportRefused() { EXPECT_EQ(home.assay({"index"}).code, 0); }
  // What an import that must be refused says on standard error, without "assay: ".
  std::string refusal(const std::string& archive) const {
    const std::map<std::string, std::string> files = files_of(home.root());
    const std::string counts = rows();
    const Finished done = home.assay({"import", archive});
    EXPECT_EQ(done.code, 2);
    EXPECT_EQ(done.out, "");
    EXPECT_EQ(files_of(home.root()), files);
    EXPECT_EQ(rows(), counts);
    return done.err.substr(std::min<std::size_t>(7, done.err.size()));
  }
  std::string rows() const {
    std::string text;
    const Store store(home.database());
    for (const char* table : {"label", "run", "event", "blob", "aa"}) {
      text += store.sql(std::string("SELECT count(*) FROM ") + table)[1][0].dump() + " ";
    }
    return text;
  }
  void set_row_here(const std::string& variant, const std::string& by) {
    const std::string path = home.path("experiments/in_service.yaml");
    ServiceMap map = parse_service_map(read_text(path), "map");
    MapRow& row = map.devices.at("cpu-avx2").at("rms_norm").at(0);
    row.row.variant = variant;
    row.by = by;
    write_text(path, emit(map));
  }

  BorrowedMachine borrowed;
  TestWorkspace home;
};

TEST_F(ImportRefused, AMapWhoseRowIsAnotherOne) {
  ASSERT_EQ(borrowed.run_unroll_two(), ExperimentState::kLanded);
  const std::string archive = borrowed.exported();
  set_row_here("rms_norm.cpu.portable", "by-hand");
  EXPECT_EQ(refusal(archive),
            archive +
                ": experiments/in_service.yaml: unroll-two landed rms_norm.cpu.avx2[unroll=2] in "
                "place of rms_norm.cpu.avx2[unroll=1], but here rms_norm on cpu-avx2 is served by "
                "rms_norm.cpu.portable (by by-hand), against which it was not measured: put "
                "rms_norm.cpu.avx2[unroll=1] back into that row and import again, then let the two "
                "compete in an experiment of their own; nothing was changed\n");
  set_row_here(SimulatedWorkspace::kIncumbent, "incumbent");
  EXPECT_EQ(home.assay({"import", archive}).code, 0);
}

TEST_F(ImportRefused, OneOfTwoLandsThatDoesNotFitRefusesBoth) {
  ASSERT_EQ(borrowed.run_tile("tile-64", SimulatedWorkspace::kTile64), ExperimentState::kLanded);
  ASSERT_EQ(borrowed.run_unroll_two(), ExperimentState::kLanded);
  set_row_here("rms_norm.cpu.portable", "by-hand");
  EXPECT_NE(refusal(borrowed.exported()).find("unroll-two landed"), std::string::npos);
  EXPECT_FALSE(Store(home.database()).find("tile-64"));
}

TEST_F(ImportRefused, ANumberThatIsTaken) {
  ASSERT_EQ(borrowed.run_unroll_two(1.1), ExperimentState::kOpen);
  const std::string archive = borrowed.exported();
  {
    Store store(home.database());
    play_proposal(store, "panel", definition_text("panel"));
  }
  ASSERT_EQ(home.assay({"index"}).code, 0);
  EXPECT_EQ(
      refusal(archive),
      archive +
          ": number 1 is panel here and unroll-two there: `assay renumber unroll-two 2` in the "
          "other workspace and export again, or `assay renumber panel 2` here; nothing was "
          "changed\n");
  // What it advises, to the letter.
  EXPECT_EQ(borrowed.assay({"renumber", "unroll-two", "2"}).out,
            "unroll-two is number 2 now (it was 1); no hash changed\n");
  EXPECT_EQ(borrowed.assay({"check"}).code, 0);
  EXPECT_EQ(home.assay({"import", borrowed.exported("again.assay")}).code, 0);
  const Finished check = home.assay({"check"});
  EXPECT_EQ(check.code, 0) << check.out;
}

// A history forged and sealed again, by whoever has the file.
TEST_F(ImportRefused, WhatCheckWouldFind) {
  ASSERT_EQ(borrowed.run_unroll_two(), ExperimentState::kLanded);
  const ArchiveFiles files = unpack_archive(read_text(borrowed.exported()));
  const std::string record = "results/records/0001-unroll-two.json";
  const auto forged = [&](EventKind kind, const nlohmann::json& patch) {
    Store::ImportedExperiment experiment = read_record_text(files.at(record), "0001-unroll-two");
    auto& [run, events] = experiment.runs.at(1);
    for (Event& event : events) {
      if (event.kind == kind) event.body.merge_patch(patch);
    }
    run.seal = seal_of(run.previous, events);
    const TemporaryFolder folder;
    Store store(folder.path() + "/forged.db");
    store.import_experiment(experiment);
    ArchiveFiles changed = files;
    changed[record] = export_experiment(store, experiment.label);
    const std::string archive = home.path("forged.assay");
    write_text(archive, pack_archive(changed));
    const std::string said = refusal(archive), start = archive + ": " + record + ": ";
    EXPECT_TRUE(said.starts_with(start)) << said;
    return said.substr(std::min(start.size(), said.size()));
  };
  const std::string end = "; `assay check` over there says it, too; nothing was changed\n";
  const nlohmann::json other{{"rms_norm", nullptr}, {"rope", "rope.cpu.portable"}};
  EXPECT_EQ(forged(EventKind::kAttemptOpened, {{"candidate", other}}),
            "unroll-two: its LAND serves rope with rope.cpu.portable, and its definition asks for "
            "rms_norm (lever rms_norm.unroll)" +
                end);
  EXPECT_EQ(forged(EventKind::kVerdict, {{"intents", nlohmann::json::array()}}),
            "unroll-two: its LAND names 0 changes of a map, and a LAND is one" + end);
  EXPECT_NE(forged(EventKind::kVerdict, {{"verdict", "MAYBE"}})
                .find("(verdict): its verdict \"MAYBE\" is none that there is (and "),
            std::string::npos);
}

TEST_F(ImportRefused, AnArchiveWithoutItsSources) {
  ASSERT_EQ(borrowed.run_unroll_two(), ExperimentState::kLanded);
  ArchiveFiles files = unpack_archive(read_text(borrowed.exported()));
  std::string& record = files.at("results/records/0001-unroll-two.json");
  nlohmann::json json = nlohmann::json::parse(record);
  json["blobs"] = nlohmann::json::object();
  record = canonical_json(json);
  write_text(home.path("bare.assay"), pack_archive(files));
  const std::string said = refusal(home.path("bare.assay"));
  EXPECT_NE(said.find(" of run 1 (" + json["runs"][1]["id"].get<std::string>() +
                      ") is missing; nothing was changed\n"),
            std::string::npos)
      << said;
}

TEST_F(ImportRefused, AFileThatCannotBeWritten) {
  ASSERT_EQ(borrowed.run_unroll_two(), ExperimentState::kLanded);
  write_text(home.path("experiments/definitions"), "a file in the folder's place");
  EXPECT_NE(refusal(borrowed.exported()).find("nothing was changed\n"), std::string::npos);
}

TEST_F(ImportRefused, ADefinitionFileWithAnotherText) {
  ASSERT_EQ(borrowed.run_unroll_two(1.1), ExperimentState::kOpen);
  const std::string archive = borrowed.exported();
  std::string text = borrowed.lab.definition_text;
  text.replace(text.find("bar: 5%"), 7, "bar: 6%");
  write_text(home.path("experiments/definitions/unroll-two.yaml"), text);
  EXPECT_EQ(refusal(archive).substr(0, archive.size() + 190),
            (archive +
             ": experiments/definitions/unroll-two.yaml: is another text here than the one that "
             "was frozen there: move it away, then import again; nothing was changed\n--- here\n"
             "+++ frozen there\n@@ -9,4 +9,4 @@\n")
                .substr(0, archive.size() + 190));
}

TEST_F(ImportRefused, NotesThatBothWrote) {
  ASSERT_EQ(borrowed.run_unroll_two(1.1), ExperimentState::kOpen);
  const std::string there = borrowed.path("experiments/notes/unroll-two.md");
  const std::string here = home.path("experiments/notes/unroll-two.md");
  write_text(there, "# Notes\n\nOf there.\n");
  write_text(here, "# Notes\n\nOf here.\n");
  const std::string archive = borrowed.exported();
  EXPECT_EQ(refusal(archive),
            archive +
                ": experiments/notes/unroll-two.md: was written on in both workspaces: add the "
                "lines marked + here by hand, in their order, then import again; nothing was "
                "changed\n--- here\n+++ there\n@@ -1,3 +1,3 @@\n # Notes\n \n-Of here.\n+Of "
                "there.\n");
  write_text(here, "# Notes\n\nOf there.\nOf here.\n");
  EXPECT_EQ(home.assay({"import", archive}).code, 0);
  EXPECT_EQ(read_text(here), "# Notes\n\nOf there.\nOf here.\n");
}

TEST_F(ImportRefused, ADamagedArchive) {
  ASSERT_EQ(borrowed.run_unroll_two(), ExperimentState::kLanded);
  const std::string whole = read_text(borrowed.exported());
  const std::string archive = home.path("damaged.assay");
  const std::string damaged =
      archive +
      ": is damaged or was cut off: its content does not match the SHA-256 in its head; copy it "
      "again; nothing was changed\n";
  for (std::size_t i = 1; i <= 16; ++i) {
    std::string text = whole;
    const std::size_t at = 100 + i * (whole.size() - 100) / 17;
    text[at] = static_cast<char>(text[at] ^ 0x10);
    write_text(archive, text);
    EXPECT_EQ(refusal(archive), damaged) << at;
    write_text(archive, whole.substr(0, at));
    EXPECT_EQ(refusal(archive), damaged) << at;
  }
  write_text(archive, "");
  EXPECT_EQ(refusal(archive),
            archive + ": is no archive of `assay export`, or was cut off; nothing was changed\n");
  fs::remove(archive);
  EXPECT_EQ(refusal(archive), archive + ": cannot be read: No such file or directory\n");
}

// A small file may ask for much memory; there is one sentence all the same.
TEST_F(ImportRefused, MoreThanThereIsMemoryFor) {
  ArchiveFiles files;
  files["experiments/notes/x.md"] = std::string(100u << 20, 'x');
  const std::string archive = home.path("large.assay");
  write_text(archive, pack_archive(files));
  files.clear();
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  rlimit tight = before;
  tight.rlim_cur = 200u << 20;
  ASSERT_EQ(setrlimit(RLIMIT_AS, &tight), 0);  // of the program that this one starts
  const Finished done = home.assay({"import", archive});
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_EQ(done.code, 13);
  EXPECT_EQ(
      done.err,
      "assay: out of memory: close other programs, or raise the limit (ulimit -v), and repeat "
      "the command; what was recorded is whole\n");
}

// Where the libraries cannot even be loaded, the loader says so (127); it is never a signal.
TEST_F(ImportRefused, TooLittleMemoryToStart) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  for (rlim_t megabytes = 20; megabytes <= 80; megabytes += 4) {
    rlimit tight = before;
    tight.rlim_cur = megabytes << 20;
    ASSERT_EQ(setrlimit(RLIMIT_AS, &tight), 0);
    const Finished done = home.assay({"help"});
    ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
    EXPECT_TRUE(done.code == 0 || done.code == 13 || done.code == 127)
        << megabytes << " MB: " << done.code << " " << done.err;
  }
}

TEST_F(ImportRefused, AnExportIsNeverWrittenOverAFile) {
  ASSERT_EQ(borrowed.run_unroll_two(1.1), ExperimentState::kOpen);
  write_text(borrowed.path("taken"), "mine");
  const Finished done = borrowed.assay({"export", "taken"});
  EXPECT_EQ(done.code, 2);
  EXPECT_EQ(done.err,
            "assay: taken: is there already, and archives are not written over: name another file, "
            "or remove this one\n");
  EXPECT_EQ(read_text(borrowed.path("taken")), "mine");
}

TEST_F(ImportRefused, ExportsOfNothing) {
  const Finished nothing = home.assay({"export", "x.assay"});
  EXPECT_EQ(nothing.code, 2);
  EXPECT_EQ(nothing.err, "assay: export: there is nothing to export yet; nothing was written\n");
  const Finished unknown = home.assay({"export", "x.assay", "nobody"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_EQ(unknown.err.substr(0, 28), "assay: no experiment nobody:");
  const Finished both = home.assay({"export", "x.assay", "1", "--since", "2"});
  EXPECT_EQ(both.err,
            "assay: export: --since and single experiments are two choices: give one of them\n");
  EXPECT_FALSE(fs::exists(home.path("x.assay")));
}

}  // namespace
}  // namespace assay
