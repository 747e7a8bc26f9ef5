// A recorded commit's program, played by a script that leaves a record; the record is a real one.
#include "gates/cli/recorded_program.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "engine/core/error.h"
#include "gates/history_faults.h"
#include "recorder/played_history.h"
#include "recorder/text_form.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSlug = "rms-norm-unroll";

class RecordedProgram : public ::testing::Test {
 protected:
  RecordedProgram() : store(folder.path() + "/assay.db") {
    const std::string stem = "0003-rms-norm-unroll";
    Store::ImportedExperiment record = read_record_text(
        read_text(std::string(ASSAY_SOURCE_ROOT) + "/results/records/" + stem + ".json"), stem);
    store.import_experiment(record);
    record.label.number = 1;  // the first of the fresh workspace
    Store fresh(folder.path() + "/fresh.db");
    fresh.import_experiment(record);
    write_text(folder.path() + "/left.json", export_experiment(fresh, record.label));
  }
  // `run` is what the script does when it is told to run.
  std::string program(const std::string& run) {
    const std::string path = folder.path() + "/assay";
    write_text(path, "#!/bin/sh\necho \"$@\" >>'" + folder.path() + "/told'\n" +
                         "[ \"$1\" = propose ] && exit 0\n" + run + "\n");
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }
  ExperimentView view() const { return fold(store.events(kSlug)); }

  TemporaryFolder folder;
  Store store;
};

TEST_F(RecordedProgram, WhatItFoundBecomesAReplicationAndTheVerdictStays) {
  const Replicated replicated = replicated_attempt(view(), 0);
  EXPECT_EQ(replicated.incumbents.at("rms_norm"), "rms_norm.cpu.avx2[unroll=1]");
  const std::string workspace = folder.path() + "/workspace";
  const RecordedRun found =
      run_recorded(program("cp '" + folder.path() + "/left.json' '" + workspace +
                           "/results/records/0001-rms-norm-unroll.json'; exit 10"),
                   replicated, workspace, 0);
  EXPECT_EQ(found.exit_code, 10);
  EXPECT_EQ(read_text(folder.path() + "/told"),
            "propose " + workspace + "/experiments/definitions/rms-norm-unroll.yaml --workspace " +
                workspace + "\nrun rms-norm-unroll --workspace " + workspace +
                " --candidate rms_norm.cpu.avx2[unroll=2]\n");
  const ExperimentView before = view();
  const RunContext context{.history = store,
                           .journal = store,
                           .workspace = workspace,
                           .worker_path = "",
                           .argv = "assay reproduce 3",
                           .say = [](const std::string&) {}};
  const RunOutcome outcome = append_replication(
      found, replicated, {.how = "rebuilt", .same_code = true, .run = {}}, context);
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.message,
            "stored +0.00 % [-1.09, +1.10] of 8 pairs, again +0.00 % [-1.09, +1.10] of 8 pairs: "
            "agrees");
  const ExperimentView after = view();
  EXPECT_EQ(after.state, before.state);
  EXPECT_EQ(after.attempts[0].samples.size(), before.attempts[0].samples.size());
  EXPECT_EQ(after.attempts[0].gates.size(), before.attempts[0].gates.size());
  const std::vector<Replication> all = replications(after);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].how, "rebuilt");
  EXPECT_EQ(all[0].commit, "efb3fe682ec8b82d05a482885355f13fd29b7e13");
  EXPECT_EQ(history_faults(store.events(kSlug)), std::vector<std::string>());
  EXPECT_EQ(store.integrity(), std::vector<std::string>());
}

TEST_F(RecordedProgram, OneThatLeavesNoRecordSaysSo) {
  const Replicated replicated = replicated_attempt(view(), 0);
  try {
    run_recorded(program("exit 14"), replicated, folder.path() + "/workspace", 0);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "the program of that commit could not run rms-norm-unroll (exit 14): see what it "
                 "says above");
  }
}

}  // namespace
}  // namespace assay
