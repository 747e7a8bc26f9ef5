// An import that is killed between any two of its steps: the next command undoes it (there is
// nothing to undo) or finishes it.
#include "gates/cli/import_steps.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "gates/cli/borrowed_machine.h"

namespace assay {
namespace {

constexpr const char* kFinished = "assay: finished an import that an earlier command had begun\n";

class KilledImport : public testing::Test {
 protected:
  KilledImport() {
    EXPECT_EQ(borrowed.run_unroll_two(), ExperimentState::kLanded);
    write_text(borrowed.path("experiments/notes/unroll-two.md"), "# Notes\n\nTwo chains.\n");
    EXPECT_EQ(borrowed.assay({"index"}).code, 0);
    archive = borrowed.exported();
    EXPECT_EQ(home.assay({"index"}).code, 0);
    before = files_of(home.root());
    after = files_of(borrowed.lab.path());
    after["experiments/definitions/unroll-two.yaml"] = borrowed.lab.definition_text;
  }
  // The first step, as the command does it.
  TakenIn take(Store& store) const {
    return take_in(store, home.root(), read_history(unpack_archive(read_text(archive))), "hash",
                   {"import", "assay import", nullptr});
  }
  TakenIn take() const {
    Store store(home.database());
    return take(store);
  }
  void expect_whole() const {
    EXPECT_EQ(files_of(home.root()), after);
    EXPECT_TRUE(Store(home.database()).unfinished_runs().empty());
    const Finished check = home.assay({"check"});
    EXPECT_EQ(check.code, 0) << check.out;
    EXPECT_TRUE(home.assay({"import", archive})
                    .out.starts_with("all of it is here already; nothing changed\n"));
  }

  BorrowedMachine borrowed;
  TestWorkspace home;
  std::string archive;
  std::map<std::string, std::string> before, after;
};

TEST_F(KilledImport, InsideTheTransactionLeavesNothing) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    Store store(home.database());
    store.together([&] {
      if (take(store).anything) kill(getpid(), SIGKILL);
    });
    _exit(1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(home.assay({"query"}).err,
            "assay: no experiments yet: `assay propose FILE` makes the first\n");
  EXPECT_EQ(files_of(home.root()), before);
  EXPECT_TRUE(Store(home.database()).experiments().empty());
  EXPECT_TRUE(Store(home.database()).aa_effects().empty());
}

TEST_F(KilledImport, BeforeAnyFile) {
  EXPECT_EQ(take().plan.files.size(), 3U);
  EXPECT_EQ(files_of(home.root()), before);
  const Finished query = home.assay({"query"});
  EXPECT_EQ(query.code, 0);
  EXPECT_EQ(query.err, kFinished);
  expect_whole();
}

TEST_F(KilledImport, BeforeTheRecords) {
  const TakenIn taken = take();
  for (const Intent& file : taken.plan.files) write_text(home.path(file.path), file.after_text);
  EXPECT_EQ(home.assay({"show", "unroll-two"}).err, kFinished);
  expect_whole();
}

TEST_F(KilledImport, AfterTheFirstOfItsFiles) {
  const TakenIn taken = take();
  write_text(home.path(taken.plan.files.at(0).path), taken.plan.files.at(0).after_text);
  EXPECT_EQ(home.assay({"index"}).err, kFinished);
  expect_whole();
}

TEST_F(KilledImport, AFileThatStandsInTheWayIsSaidWithWhatIsIn) {
  const std::string index = home.path("results/index.md");
  std::filesystem::remove(index);
  std::filesystem::create_directory(index);
  const Finished done = home.assay({"import", archive});
  EXPECT_EQ(done.code, 2);
  EXPECT_EQ(done.err,
            "assay: " + archive +
                ": imported; its files follow with the next command, once this is mended: "
                "results/index.md: is a folder; a file belongs there\n");
  std::filesystem::remove(index);
  EXPECT_EQ(home.assay({"query"}).err, kFinished);
  expect_whole();
}

TEST_F(KilledImport, BeforeItsRunEnded) {
  const TakenIn taken = take();
  for (const auto& [path, text] : after) write_text(home.path(path), text);
  EXPECT_EQ(home.assay({"check"}).err, kFinished);
  expect_whole();
}

TEST_F(KilledImport, AnEditedMapWaitsForApplyWhichSetsTheRow) {
  take();
  const std::string map = home.path("experiments/in_service.yaml");
  std::string edited = before.at("experiments/in_service.yaml");
  edited.replace(edited.find("rope.cpu.avx2"), 13, "rope.cpu.portable");
  write_text(map, edited);
  const Finished index = home.assay({"index"});
  EXPECT_EQ(index.code, 2);
  EXPECT_TRUE(index.err.starts_with(
      "assay: experiments/in_service.yaml: an import was cut short, and the file is neither what "
      "it was before nor what it should become. Settle each LAND of it: `assay apply unroll-two` "
      "(sets its landed row; with --discard that row stays as it is)\n--- in the file\n+++ as "
      "imported\n"))
      << index.err;
  EXPECT_EQ(files_of(home.root()).size(), before.size()) << "no other file was written either";
  const Finished apply = home.assay({"apply", "unroll-two"});
  EXPECT_EQ(apply.code, 0) << apply.err;
  EXPECT_EQ(apply.out,
            "experiments/in_service.yaml: rms_norm on cpu-avx2 is served by "
            "rms_norm.cpu.avx2[unroll=2] now, by unroll-two\nthe import is settled; the history is "
            "whole\n");
  after["experiments/in_service.yaml"].replace(
      after["experiments/in_service.yaml"].find("rope.cpu.avx2"), 13, "rope.cpu.portable");
  expect_whole();
}

TEST_F(KilledImport, AnEditedMapThatIsKept) {
  take();
  const std::string edited = before.at("experiments/in_service.yaml") + "# mine\n";
  write_text(home.path("experiments/in_service.yaml"), edited);
  EXPECT_EQ(
      home.assay({"apply", "1", "--discard"}).out,
      "unroll-two: the LAND stays on record, and its row in experiments/in_service.yaml stays "
      "as it is; `assay apply unroll-two` puts the landed row in after all\nthe import is "
      "settled; the history is whole\n");
  EXPECT_EQ(read_text(home.path("experiments/in_service.yaml")), edited);
  EXPECT_EQ(home.assay({"check"}).out,
            "check: 1 experiment, 3 runs, 1 verdict: files, chain and verdicts agree\n");
  {
    const Store store(home.database());
    const Event last = store.run_events(store.runs("").back().id).back();
    EXPECT_EQ(last.body.get<RunEnded>().message,
              "archive hash; settled by hand: experiments/in_service.yaml");
  }
  EXPECT_EQ(home.assay({"import", archive}).out,
            "all of it is here already; nothing changed\nexperiments/in_service.yaml differs from "
            "the archive's in rows that this import does not change; they stay as they are\n"
            "unroll-two: landed, and its row stays as it is, as was settled; `assay apply "
            "unroll-two` puts the landed row in\n");
  // The way back.
  EXPECT_EQ(home.assay({"apply", "1"}).out,
            "0001 unroll-two: experiments/in_service.yaml has the landed row now\n");
  EXPECT_EQ(read_text(home.path("experiments/in_service.yaml")),
            after.at("experiments/in_service.yaml"));
  EXPECT_EQ(home.assay({"apply", "1"}).out,
            "0001 unroll-two: no LAND is waiting to be applied; nothing changed\n");
  EXPECT_EQ(home.assay({"check"}).code, 0);
}

// Two LANDs, and a row edited by hand: the one of it is decided, the other is made.
class KilledImportOfTwo : public testing::Test {
 protected:
  KilledImportOfTwo() {
    EXPECT_EQ(borrowed.run_unroll_two(), ExperimentState::kLanded);
    EXPECT_EQ(borrowed.run_tile("tile-64", SimulatedWorkspace::kTile64), ExperimentState::kLanded);
    const std::string archive = borrowed.exported();
    EXPECT_EQ(home.assay({"index"}).code, 0);
    before = read_text(map());
    Store store(home.database());
    take_in(store, home.root(), read_history(unpack_archive(read_text(archive))), "hash",
            {"import", "assay import", nullptr});
  }
  std::string map() const { return home.path("experiments/in_service.yaml"); }
  void edit(const std::string& from, const std::string& to) const {
    std::string text = read_text(map());
    const std::size_t at = text.find(from, text.find("  cpu-avx2:"));
    ASSERT_NE(at, std::string::npos);
    write_text(map(), text.replace(at, from.size(), to));
  }
  bool serves(const std::string& row) const {
    return read_text(map()).find(row) != std::string::npos;
  }

  BorrowedMachine borrowed;
  TestWorkspace home;
  std::string before;
};

TEST_F(KilledImportOfTwo, OneIsDiscardedAndTheOtherMade) {
  edit("rms_norm.cpu.avx2[unroll=1]", "rms_norm.cpu.portable");
  EXPECT_EQ(
      home.assay({"apply", "unroll-two", "--discard"}).out,
      "unroll-two: the LAND stays on record, and its row in experiments/in_service.yaml stays "
      "as it is; `assay apply unroll-two` puts the landed row in after all\n"
      "experiments/in_service.yaml: attention_prefill on cpu-avx2 is served by "
      "attention_prefill.cpu.avx2[tkv=64] now, by tile-64\n"
      "the import is settled; the history is whole\n");
  EXPECT_TRUE(serves("{variant: \"rms_norm.cpu.portable\", by: incumbent}"));
  EXPECT_TRUE(serves("{variant: \"attention_prefill.cpu.avx2[tkv=64]\", by: tile-64}"));
  EXPECT_EQ(home.assay({"check"}).code, 0);
}

TEST_F(KilledImportOfTwo, OneThatDoesNotFitWaitsForItsOwnWord) {
  edit("rms_norm.cpu.avx2[unroll=1]", "rms_norm.cpu.portable");
  EXPECT_EQ(
      home.assay({"apply", "tile-64", "--discard"}).out,
      "unroll-two waits: its row in experiments/in_service.yaml is served by another variant "
      "than its baseline: `assay apply unroll-two` sets the landed row, with --discard it "
      "stays as it is\n"
      "tile-64: the LAND stays on record, and its row in experiments/in_service.yaml stays as "
      "it is; `assay apply tile-64` puts the landed row in after all\n");
  const Finished index = home.assay({"index"});
  EXPECT_EQ(index.code, 2);
  EXPECT_NE(index.err.find("Settle each LAND of it: `assay apply unroll-two` (sets its landed row; "
                           "with --discard that row stays as it is)\n"),
            std::string::npos)
      << index.err;
  EXPECT_EQ(home.assay({"apply", "unroll-two"}).out,
            "unroll-two: experiments/in_service.yaml has the landed row now\n"
            "the import is settled; the history is whole\n");
  EXPECT_TRUE(serves("{variant: \"rms_norm.cpu.avx2[unroll=2]\", by: unroll-two}"));
  EXPECT_FALSE(serves("by: tile-64"));
  EXPECT_EQ(home.assay({"check"}).code, 0);
  EXPECT_EQ(home.assay({"apply", "tile-64"}).code, 0);
  EXPECT_EQ(read_text(map()), borrowed.lab.service_map());
  EXPECT_EQ(home.assay({"check"}).code, 0);
}

TEST_F(KilledImportOfTwo, AnEditedNoteIsNamedByItsOwnExperiment) {
  write_text(home.path("experiments/definitions/tile-64.yaml"), "mine\n");
  const Finished index = home.assay({"index"});
  EXPECT_EQ(index.code, 2);
  EXPECT_NE(index.err.find("become. `assay apply tile-64` goes on and leaves it as it is\n"),
            std::string::npos)
      << index.err;
  const Finished apply = home.assay({"apply", "tile-64"});
  EXPECT_NE(apply.out.find("experiments/definitions/tile-64.yaml stays as it is\n"),
            std::string::npos)
      << apply.out;
  EXPECT_EQ(read_text(home.path("experiments/definitions/tile-64.yaml")), "mine\n");
  EXPECT_EQ(read_text(map()), borrowed.lab.service_map());
}

}  // namespace
}  // namespace assay
