// A backup is whole or not there; a restore loses nothing.
#include "recorder/backup.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/error.h"
#include "recorder/played_history.h"
#include "recorder/sqlite_connection.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// The unfinished files that were brought to the disk, with their mode at that time.
std::vector<std::pair<std::string, unsigned>>& synced() {
  static std::vector<std::pair<std::string, unsigned>> all;
  return all;
}

class BackupTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Store store(database);
    play_proposal(store, "tile", definition_text("tile"));
    play_red_run(store, "tile", "f1");
    back_up(store, backup);
  }
  std::string refusal(const std::string& file, bool older = false) {
    try {
      restore(file, database, older);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      return error.what();
    }
    return "restored";
  }
  int files() const {
    return static_cast<int>(std::distance(fs::directory_iterator(folder.path()), {}));
  }
  std::size_t events(const std::string& path) { return Store(path).events("tile").size(); }

  TemporaryFolder folder;
  std::string database = folder.path() + "/assay.db";
  std::string backup = folder.path() + "/backup.db";
};

TEST_F(BackupTest, WhatAKillLeftGoesWithTheNextOne) {
  const std::string left = folder.path() + "/second.db.unfinished-abcdef";
  const std::string foreign = folder.path() + "/third.db.unfinished-abcdef";
  for (const std::string& file : {left, foreign}) {
    write_text(file, "half a copy");
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  }
  back_up(Store(database), folder.path() + "/second.db");
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(foreign));
  write_text(database + ".unfinished-abcdef", "half a copy");
  fs::permissions(database + ".unfinished-abcdef", fs::perms::owner_read | fs::perms::owner_write);
  restore(backup, database, false);
  EXPECT_FALSE(fs::exists(database + ".unfinished-abcdef"));
}

TEST_F(BackupTest, WhatIsToBeThoughtOfADatabaseIsSoOfItsCopy) {
  for (const bool by_hand : {false, true}) {
    if (by_hand) {
      Connection(database, SQLITE_OPEN_READWRITE).execute("CREATE TABLE t(x); DROP TABLE t");
    }
    EXPECT_EQ(Store(database).changed_by_hand(), by_hand);
    EXPECT_EQ(Store::copy_in_memory(database).changed_by_hand(), by_hand);
    const std::string copy = folder.path() + (by_hand ? "/two.db" : "/one.db");
    back_up(Store(database), copy);
    EXPECT_EQ(Store(copy).changed_by_hand(), by_hand);
    const std::string place = folder.path() + (by_hand ? "/four.db" : "/three.db");
    restore(copy, place, false);
    EXPECT_EQ(Store(place).changed_by_hand(), by_hand);
  }
  const Store store(database);
  store.trust();
  EXPECT_FALSE(Store(database).changed_by_hand());
}

TEST_F(BackupTest, IsNeverWrittenOver) {
  const Store store(database);
  const std::string before = read_text(backup);
  try {
    back_up(store, backup);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), backup + ": is there already; a backup is written to a new file");
  }
  EXPECT_EQ(read_text(backup), before);
}

TEST_F(BackupTest, HoldsWhatIsInTheLogOfAnOpenDatabase) {
  Store store(database);
  play_red_run(store, "tile", "f2");
  const BackedUp done = back_up(store, folder.path() + "/second.db");
  EXPECT_EQ(done.runs, 3u);
  EXPECT_EQ(done.bytes, fs::file_size(folder.path() + "/second.db"));
  EXPECT_EQ(events(folder.path() + "/second.db"), store.events("tile").size());
  EXPECT_TRUE(Store(folder.path() + "/second.db").integrity().empty());
}

TEST_F(BackupTest, AFullDiskLeavesNoPartOfIt) {
  const std::string second = folder.path() + "/second.db";
  const int before = files();
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    int status = 1;
    try {
      const Store store(database);
      const rlimit limit{64 * 1024, 64 * 1024};
      setrlimit(RLIMIT_FSIZE, &limit);
      back_up(store, second);
    } catch (const Error& error) {
      status = std::string(error.what()).rfind(second, 0) == 0 ? 0 : 2;
    } catch (...) {
    }
    _exit(status);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_FALSE(fs::exists(second));
  EXPECT_EQ(files(), before);
}

TEST_F(BackupTest, TakesThePlaceOfAMissingDatabase) {
  const std::size_t before = events(database);
  fs::remove(database);
  const Restored done = restore(backup, database, false);
  EXPECT_EQ(done.kept, "");
  EXPECT_EQ(done.content.experiments, 1u);
  EXPECT_EQ(events(database), before);
  EXPECT_TRUE(Store(database).integrity().empty());
}

TEST_F(BackupTest, TakesThePlaceOfADamagedOneWhichIsKept) {
  std::string damaged = read_text(database);
  for (std::size_t i = 4096; i < damaged.size(); ++i) damaged[i] = '\x5a';
  write_text(database, damaged);
  const Restored done = restore(backup, database, false);
  EXPECT_NE(done.damage, "");
  EXPECT_EQ(read_text(done.kept), damaged);
  EXPECT_TRUE(Store(database).integrity().empty());
}

TEST_F(BackupTest, TakesThePlaceOfWhatIsLeftOfADatabase) {
  std::string zeroed = read_text(database);
  std::fill_n(zeroed.begin(), 4096, '\0');
  for (const std::string& left : {std::string(), zeroed}) {
    write_text(database, left);
    const WorkspaceLock lock(folder.path(), database);
    const Restored done = restore(backup, database, false);
    EXPECT_NE(done.damage, "");
    EXPECT_EQ(read_text(done.kept), left);
    EXPECT_TRUE(Store(database).integrity().empty());
  }
  write_text(database, "these are notes, not a database\n");
  EXPECT_THROW(WorkspaceLock(folder.path(), database), Error);
}

TEST_F(BackupTest, AnOlderOneNeedsAWord) {
  {
    Store store(database);
    play_red_run(store, "tile", "f2");
  }
  const std::size_t newer = events(database);
  EXPECT_EQ(refusal(backup), backup +
                                 ": is older than the database: it lacks 1 of its runs (tile, run "
                                 "2); nothing was changed. --older puts it in place nevertheless");
  EXPECT_EQ(events(database), newer);
  const Restored done = restore(backup, database, true);
  EXPECT_EQ(done.lost, std::vector<std::string>{"tile, run 2"});
  EXPECT_LT(events(database), newer);
  EXPECT_EQ(events(done.kept), newer);
}

TEST_F(BackupTest, ALostRunOfNoExperimentIsCalledByItsCommand) {
  const auto run_of = [&](const std::string& command) {
    Store store(database);
    store.end_run(store.open_run("", {command, "assay " + command, nullptr}), {command, 0, ""});
  };
  run_of("renumber");
  EXPECT_NE(refusal(backup).find("1 of its runs (`assay renumber`, run 0)"), std::string::npos)
      << refusal(backup);
  run_of("import");
  run_of("calibrate");
  std::vector<std::string> lost = restore(backup, database, true).lost;
  std::sort(lost.begin(), lost.end());
  EXPECT_EQ(lost, (std::vector<std::string>{"`assay import`, run 1", "`assay renumber`, run 0",
                                            "calibration, run 2"}));
}

TEST_F(BackupTest, UntilItIsOnTheDiskItIsKnownForUnfinished) {
  synced().clear();
  back_up(Store(database), folder.path() + "/second.db");
  restore(backup, database, false);
  EXPECT_GE(synced().size(), 2u);
  for (const auto& [name, mode] : synced()) EXPECT_EQ(mode, 0600u) << name;
  EXPECT_EQ(fs::status(database).permissions(), fs::perms(0644));
  EXPECT_EQ(fs::status(folder.path() + "/second.db").permissions(), fs::perms(0644));
}

TEST_F(BackupTest, WhatIsNoBackupChangesNothing) {
  const std::string text = folder.path() + "/notes.txt";
  write_text(text, "these are notes, not a database\n");
  const auto expect = [&](const std::string& file, const std::string& why) {
    EXPECT_EQ(refusal(file),
              file + ": " + why + "; give a file that `assay backup` wrote; nothing was changed");
  };
  expect(text, "is no backup of an Assay database");
  expect(folder.path() + "/none.db", "No such file or directory");
  expect(folder.path(), "is a folder");
  write_text(folder.path() + "/empty.db", "");
  expect(folder.path() + "/empty.db", "is an empty file");
  const std::string cut = folder.path() + "/cut.db";
  for (const std::size_t size : {20000u, 50u}) {
    write_text(cut, read_text(backup).substr(0, size));
    const std::string said = refusal(cut);
    EXPECT_TRUE(said.starts_with(cut + ": ")) << said;
    EXPECT_TRUE(said.ends_with("; give another backup; nothing was changed")) << said;
    EXPECT_EQ(said.find("move it away"), std::string::npos) << said;
    EXPECT_EQ(said.find("unfinished"), std::string::npos) << said;
  }
  EXPECT_EQ(refusal(database), database + ": is the database itself");
  const std::string foreign = folder.path() + "/foreign.db";
  {
    const Connection other(foreign, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    other.execute("CREATE TABLE bookmarks(url TEXT)");
  }
  EXPECT_EQ(refusal(foreign),
            foreign +
                ": an SQLite database, but another program's; give another backup; nothing was "
                "changed");
  const std::string before = read_text(foreign);
  try {
    restore(backup, foreign, false);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), foreign +
                                ": an SQLite database, but another program's; name another "
                                "with --db");
  }
  EXPECT_EQ(read_text(foreign), before);
  std::string damaged = read_text(backup);
  for (std::size_t i = 8 * 4096; i < 9 * 4096; ++i) damaged[i] = '\x5a';
  write_text(backup, damaged);
  EXPECT_EQ(refusal(backup).rfind(backup + ": ", 0), 0u);
  EXPECT_EQ(events(database),
            3u + Store(database).run_events(Store(database).runs("tile")[1].id).size());
}

TEST_F(BackupTest, NoLogOfTheReplacedDatabaseIsPlayedIntoTheRestoredOne) {
  Store open(database);  // keeps its log
  play_red_run(open, "tile", "f2");
  ASSERT_GT(fs::file_size(database + "-wal"), 0u);
  restore(backup, database, true);
  EXPECT_TRUE(Store(database).integrity().empty());
  EXPECT_EQ(Store(database).runs("tile").size(), 2u);
}

}  // namespace
}  // namespace assay

// In the place of the system's: it looks, and then does the same.
extern "C" int fsync(int file) {
  const std::string link = "/proc/self/fd/" + std::to_string(file);
  std::error_code error;
  const std::string name = assay::fs::read_symlink(link, error).string();
  struct stat status {};
  if (name.find(".unfinished-") != std::string::npos && ::fstat(file, &status) == 0) {
    static std::mutex mutex;  // others write on several threads
    const std::lock_guard guard(mutex);
    assay::synced().emplace_back(name, status.st_mode & 0777u);
  }
  return static_cast<int>(::syscall(SYS_fsync, file));
}
