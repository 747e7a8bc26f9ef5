// The database is made again from the committed text form: the same bytes come out of it, the same
// verdicts, and the stop rule remembers.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "gates/cli/borrowed_machine.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

struct Said {
  std::map<std::string, std::string> files;
  std::string check, rows;
};

Said all_of(const std::string& root) {
  Said said;
  EXPECT_EQ(run_assay(root, {"index"}).code, 0);
  said.check = run_assay(root, {"check"}).out;
  EXPECT_TRUE(said.check.ends_with(": files, chain and verdicts agree\n")) << said.check;
  said.rows = run_assay(root, {"query", "--json"}).out;
  said.files = files_of(root);
  return said;
}

// Without its database, and then with one made again.
void expect_rebuilt(const std::string& root) {
  const Said before = all_of(root);
  for (const char* end : {"", "-wal", "-shm", "-lock"})
    fs::remove(root + "/results/assay.db" + end);
  const Said after = all_of(root);
  EXPECT_EQ(after.files, before.files);
  EXPECT_EQ(after.rows, before.rows);
  EXPECT_EQ(after.check, before.check);
}

TEST(RebuiltHistory, OfTheCommittedRecords) {
  const TemporaryFolder copy;
  const fs::path source = ASSAY_SOURCE_ROOT;
  fs::create_directories(copy.path() + "/results");
  fs::copy(source / "experiments", copy.path() + "/experiments", fs::copy_options::recursive);
  for (const char* path : {"results/records", "results/index.md", "results/calibrations.json"}) {
    fs::copy(source / path, copy.path() + "/" + path, fs::copy_options::recursive);
  }
  expect_rebuilt(copy.path());
  const Finished stopped = run_assay(copy.path(), {"run", "attention-kv-tile"});
  EXPECT_EQ(stopped.code, 11) << stopped.out << stopped.err;
}

TEST(RebuiltHistory, OfPlayedOnes) {
  const TestWorkspace workspace;
  {
    Store store(workspace.database());
    for (const char* slug : {"landed", "reverted", "one-left", "asked"}) {
      play_proposal(store, slug, definition_text(slug));
    }
    play_red_run(store, "reverted", "f1");
    play_red_run(store, "reverted", "f2");
    play_red_run(store, "one-left", "f1");
  }
  write_text(workspace.path("experiments/notes/reverted.md"), "## Lessons\n\n{{verdict}}\n");
  expect_rebuilt(workspace.root());
  const Store store(workspace.database());
  EXPECT_EQ(admit(fold(store.events("reverted")), "f3").admission, Admission::kStopped);
  EXPECT_EQ(admit(fold(store.events("one-left")), "f1").admission, Admission::kRedAgain);
  EXPECT_EQ(admit(fold(store.events("one-left")), "f2").ordinal, 2);
}

TEST(RebuiltHistory, OfOneThatReallyRan) {
  BorrowedMachine borrowed;
  ASSERT_EQ(borrowed.run_unroll_two(), ExperimentState::kLanded);
  expect_rebuilt(borrowed.lab.path());
}

}  // namespace
}  // namespace assay
