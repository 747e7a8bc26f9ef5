// One at a time: who is named when another holds the workspace or the database, and that waiting
// ends when it lets go. Here the holder lets go when it is told that somebody waits.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "engine/core/error.h"
#include "recorder/played_history.h"
#include "recorder/sqlite_connection.h"

namespace assay {
namespace {

class WaitingTest : public ::testing::Test {
 protected:
  TemporaryFolder folder;
  std::string database = folder.path() + "/assay.db";
  std::string me = "process " + std::to_string(getpid());
  std::vector<std::string> told;
};

// Why the lock cannot be had now; empty when it can.
std::string lock_refusal(const std::string& workspace, const std::string& database = "") {
  try {
    const WorkspaceLock lock(workspace, database);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "";
}

TEST_F(WaitingTest, ADatabaseIsHeldByOneWorkspace) {
  const TemporaryFolder one, two;
  std::filesystem::create_symlink(database, folder.path() + "/link.db");
  { const Store made(database); }
  const WorkspaceLock lock(one.path(), database, {.who = "assay import"});
  EXPECT_EQ(lock_refusal(two.path()), "");
  for (const char* name : {"/assay.db", "/link.db"}) {
    EXPECT_EQ(lock_refusal(two.path(), folder.path() + name),
              std::filesystem::canonical(database).string() + "-lock: " + me +
                  " (assay import) is using this database from another workspace; wait for it or "
                  "end it");
  }
  EXPECT_EQ(lock_refusal(two.path()), "");  // nothing is kept of a lock that was refused
}

TEST_F(WaitingTest, TheWorkspaceIsHeldByOneProcess) {
  const std::string path = folder.path() + "/results/assay.lock: ";
  const auto refusal_in_child = [&](const std::string& expected) {
    const pid_t child = fork();
    if (child == 0) _exit(lock_refusal(folder.path()) == expected ? 0 : 1);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  };
  {
    const WorkspaceLock lock(folder.path(), "", {.who = "assay query"});
    EXPECT_TRUE(refusal_in_child(
        path + me + " (assay query) is at work in this workspace; wait for it or end it"));
  }
  const WorkspaceLock nameless(folder.path());
  EXPECT_TRUE(refusal_in_child(path + me + " is at work in this workspace; wait for it or end it"));
}

TEST_F(WaitingTest, ALockIsHadWhenItsHolderLetsGo) {
  std::optional<WorkspaceLock> holder;
  holder.emplace(folder.path(), "", LockPatience{.who = "assay query"});
  const auto tell = [&](const std::string& line) {
    told.push_back(line);
    holder.reset();
  };
  const WorkspaceLock lock(folder.path(), "", {.who = "assay note", .seconds = 600, .tell = tell});
  EXPECT_EQ(told, std::vector<std::string>{"waiting: " + me +
                                           " (assay query) is at work in this workspace"});
  EXPECT_EQ(read_text(folder.path() + "/results/assay.lock"),
            std::to_string(getpid()) + " assay note\n");
}

TEST_F(WaitingTest, TheLockGoesWithItsHolder) {
  { const WorkspaceLock lock(folder.path()); }
  EXPECT_EQ(lock_refusal(folder.path()), "");
}

TEST_F(WaitingTest, AWriterWaitsForAnotherAndSaysSo) {
  { const Store made(database); }
  const Connection holder(database, SQLITE_OPEN_READWRITE);
  holder.execute("BEGIN IMMEDIATE");
  const auto tell = [&](const std::string& line) {
    told.push_back(line);
    holder.execute("ROLLBACK");
  };
  Store store(database, false, {.seconds = 600, .tell = tell});  // an opening writes nothing
  EXPECT_EQ(store.number_for("tile"), 1);
  EXPECT_EQ(store.number_for("other"), 2);
  EXPECT_EQ(told,
            std::vector<std::string>{
                database + ": another process is writing to the database; waiting up to 600 s"});
}

// It might be refused at once there, instead of waiting.
TEST_F(WaitingTest, NoTransactionBeginsWhileRowsAreRead) {
  { const Store made(database); }
  const Connection connection(database, SQLITE_OPEN_READWRITE);
  Statement row(connection, "SELECT name FROM sqlite_master");
  ASSERT_TRUE(row.step());
  const auto refusal = [&](const auto&... how) -> std::string {
    try {
      const Transaction transaction(connection, how...);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kInternal);
      return error.what();
    }
    return "";
  };
  const std::string reading =
      "a transaction begins while rows are being read: SELECT name FROM sqlite_master";
  EXPECT_EQ(refusal(), reading);
  EXPECT_EQ(refusal(Transaction::IfFree()), reading);
  row.run();
  EXPECT_EQ(refusal(), "");
}

TEST_F(WaitingTest, PatienceEnds) {
  { const Store made(database); }
  const Connection holder(database, SQLITE_OPEN_READWRITE);
  holder.execute("BEGIN IMMEDIATE");
  Store store(database, false, {.seconds = 0.05});
  try {
    store.number_for("tile");
    ADD_FAILURE() << "written";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), database +
                                ": database access: another process has been writing to the "
                                "database for too long; wait for it or end it");
  }
}

}  // namespace
}  // namespace assay
