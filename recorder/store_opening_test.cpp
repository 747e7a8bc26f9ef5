// Every way in which a path is no usable database ends in one message that names it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <functional>

#include "engine/core/error.h"
#include "recorder/open_checks.h"
#include "recorder/played_history.h"
#include "recorder/query_for_tests.h"
#include "recorder/schema.h"
#include "recorder/temporary_database.h"

namespace assay {
namespace {

std::string refusal(const std::string& path, bool read_only = false) {
  try {
    const Store store(path, read_only);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "opened";
}

// Runs `action` in a child; its exit status.
int in_child(const std::function<int()>& action) {
  const pid_t child = fork();
  if (child == 0) {
    int status = 99;
    try {
      status = action();
    } catch (...) {
    }
    _exit(status);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

class OpeningTest : public ::testing::Test {
 protected:
  TemporaryFolder folder;
  std::string database = folder.path() + "/assay.db";
};

TEST_F(OpeningTest, AFileThatIsNoDatabase) {
  write_text(database, "these are notes, not a database\n");
  EXPECT_EQ(refusal(database),
            database +
                ": this file is not an Assay database; name another with --db, or move it away: "
                "committed records are imported into a new one");
}

TEST_F(OpeningTest, AnEmptyFileIsNotFilled) {
  write_text(database, "");
  EXPECT_EQ(refusal(database),
            database +
                ": is an empty file, and no database of this program is ever empty; remove it, or "
                "name another path with --db");
  EXPECT_EQ(std::filesystem::file_size(database), 0u);
}

TEST_F(OpeningTest, ALinkToNothing) {
  std::filesystem::create_symlink(folder.path() + "/none", database);
  EXPECT_EQ(refusal(database),
            database + ": is a link to nothing; remove it, or name another path with --db");
}

TEST_F(OpeningTest, AFolderAndAMissingFolder) {
  EXPECT_EQ(refusal(folder.path()), folder.path() + ": is a folder; --db names a file");
  EXPECT_EQ(refusal(folder.path() + "/no/assay.db"),
            folder.path() + "/no/assay.db: its folder " + folder.path() +
                "/no cannot be used: No such file or directory; make it, or name another path with "
                "--db");
  EXPECT_EQ(refusal(database, true), database + ": there is no database here; name one with --db");
}

TEST_F(OpeningTest, AnotherProgramsDatabase) {
  for (const char* content : {"CREATE TABLE bookmarks(url TEXT)", "VACUUM"}) {
    std::filesystem::remove(database);
    {
      const Connection other(database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
      other.execute(content);
    }
    const std::string before = read_text(database);
    EXPECT_EQ(refusal(database),
              database + ": an SQLite database, but another program's; name another with --db");
    EXPECT_EQ(read_text(database), before);
  }
}

TEST_F(OpeningTest, ANewerSchema) {
  { const Store store(database); }
  tamper(database, "PRAGMA user_version = 99");
  EXPECT_EQ(refusal(database), database +
                                   ": written by a newer Assay (schema 99, this program knows " +
                                   std::to_string(schema_version()) +
                                   "); update the program, or name another database with --db");
}

TEST_F(OpeningTest, ASchemaNumberThatNobodyWrote) {
  { const Store store(database); }
  for (const char* number : {"-1000000", "-1", "0", "1", "2"}) {
    tamper(database, std::string("PRAGMA user_version = ") + number);
    const std::string before = read_text(database);
    EXPECT_EQ(refusal(database),
              database + ": the database is damaged (its header says schema " + number +
                  ", and it is not that); move it away: committed records are imported into a new "
                  "one");
    EXPECT_EQ(read_text(database), before);
  }
}

TEST_F(OpeningTest, AnOlderSchemaIsBroughtUpToDate) {
  {
    Store store(database);
    play_proposal(store, "tile", definition_text("tile"));
  }
  tamper(
      database,
      "DROP VIEW experiments; DROP VIEW pairs; DROP VIEW attempts; DROP TRIGGER label_marks; "
      "DROP TRIGGER event_marks; DROP TRIGGER seal_marks; DROP INDEX run_going; DROP TABLE stale; "
      "DROP TABLE unwritten; DROP TABLE catalog; DROP TABLE catalog_name; DROP TABLE written; "
      "DROP TABLE writing; PRAGMA user_version = 1");
  EXPECT_EQ(refusal(database, true),
            database +
                ": schema 1 is older than this program's 3; open it once with a command that "
                "writes to bring it up to date");
  const Store store(database);
  EXPECT_EQ(store.sql("SELECT slug FROM experiments")[1][0], "tile");
  EXPECT_EQ(store.sql("SELECT count(*) FROM event")[1][0], 3);
}

// What an opening tells.
std::vector<std::string> told_at_opening(const std::string& database) {
  std::vector<std::string> lines;
  const Store store(database, false, {.seconds = 1, .tell = [&](const std::string& line) {
                                        lines.push_back(line);
                                      }});
  return lines;
}

TEST_F(OpeningTest, IndexesAndTriggersThatAreMissingOrOthersAreMadeAgainAndTold) {
  { const Store store(database); }
  tamper(database,
         "DROP INDEX run_chain; DROP TRIGGER event_no_update; DROP INDEX event_kind; "
         "CREATE INDEX event_kind ON event(at); DROP VIEW pairs");
  const std::string end =
      "; made again. Its history may have been changed by hand: `assay check` says";
  EXPECT_EQ(told_at_opening(database),
            (std::vector<std::string>{database + ": its index event_kind was another" + end,
                                      database + ": its trigger event_no_update was missing" + end,
                                      database + ": its view pairs was missing" + end,
                                      database + ": its index run_chain was missing" + end}));
  EXPECT_EQ(told_at_opening(database), std::vector<std::string>{});
}

TEST_F(OpeningTest, AUniqueIndexThatTheRowsBreakIsNotLeftOut) {
  {
    Store store(database);
    play_proposal(store, "tile", definition_text("tile"));
  }
  tamper(database,
         "DROP INDEX run_chain; INSERT INTO run(id, slug, ordinal, seal, previous) "
         "SELECT 'x', slug, 9, 'y', previous FROM run");
  EXPECT_EQ(refusal(database),
            database +
                ": the database is damaged (its index run_chain is missing, and the rows break "
                "it); `assay restore FILE` puts a backup in its place, or move it away: committed "
                "records are imported into a new one");
}

// One that was last open in a program that did not look, and one in which a hand was.
TEST_F(OpeningTest, AHandInItIsKnownFromTheFirstOpeningOn) {
  { const Store store(database); }
  Connection(database, SQLITE_OPEN_READWRITE)
      .execute("DELETE FROM imported_file WHERE path = ''; CREATE TABLE t(x)");
  EXPECT_FALSE(Store(database).changed_by_hand());
  Connection(database, SQLITE_OPEN_READWRITE).execute("DROP TABLE t");
  EXPECT_TRUE(Store(database).changed_by_hand());
  EXPECT_TRUE(Store(database).changed_by_hand());
  Store(database).trust();
  EXPECT_FALSE(Store(database).changed_by_hand());
}

TEST_F(OpeningTest, ATableOfHistoryThatIsGone) {
  { const Store store(database); }
  tamper(database, "DROP TABLE aa");
  EXPECT_EQ(refusal(database),
            database +
                ": the database is damaged (its table aa is missing); `assay restore FILE` puts a "
                "backup in its place, or move it away: committed records are imported into a new "
                "one");
}

TEST_F(OpeningTest, WhatIsDerivedIsMadeAgainFromHistory) {
  {
    Store store(database);
    play_proposal(store, "tile", definition_text("tile", "Longer tiles"));
    EXPECT_EQ(query(store, {.text = "longer"}).size(), 1u);
  }
  for (const char* lost : {"DROP TABLE catalog", "DROP TABLE writing", "DROP TABLE stale"}) {
    tamper(database, lost);
    EXPECT_EQ(told_at_opening(database),
              (std::vector<std::string>{
                  database + ": the tables that questions are answered from were missing or "
                             "others; made again from the history"}))
        << lost;
    EXPECT_EQ(query(Store(database), {.text = "longer"}).size(), 1u) << lost;
  }
}

// Every page in turn, of every kind that there is: nothing but an answer or one clear message, and
// what was written off is never part of an answer that says all is well.
TEST_F(OpeningTest, ADamagedPageOfAnyKind) {
  {
    Store store(database);
    for (int i = 0; i < 12; ++i) {
      const std::string slug = "tile-" + std::to_string(i);
      play_proposal(store, slug, definition_text(slug));
      play_red_run(store, slug, "f" + std::to_string(i));
    }
    query(store, {.text = "longer"});
  }
  const std::string whole = read_text(database);
  ASSERT_EQ(whole.size() % 4096, 0u);
  int noticed = 0;
  const int pages = static_cast<int>(whole.size() / 4096);
  for (int page = 1; page < pages; ++page) {
    std::string damaged = whole;
    for (std::size_t i = 0; i < 64; ++i) {
      char& byte = damaged[static_cast<std::size_t>(page) * 4096 + i];
      byte = static_cast<char>(byte ^ 0x5a);
    }
    write_text(database, damaged);
    for (const char* end : {"-wal", "-shm"}) std::filesystem::remove(database + end);
    bool seen = false;
    try {
      const Store store(database);
      const std::vector<std::string> found = store.integrity();
      seen = !found.empty();
      for (const auto& label : store.experiments()) (void)store.events(label.slug);
      (void)query(store, {.text = "longer"});
    } catch (const Error& error) {
      seen = true;
      EXPECT_EQ(std::string(error.what()).rfind(database + ": ", 0), 0u)
          << "page " << page << ": " << error.what();
    }
    noticed += seen ? 1 : 0;
  }
  EXPECT_EQ(noticed, pages - 1);
}

TEST_F(OpeningTest, ADamagedPage) {
  {
    Store store(database);
    for (int i = 0; i < 30; ++i) {
      const std::string slug = "tile-" + std::to_string(i);
      play_proposal(store, slug, definition_text(slug));
    }
  }
  const auto size = std::filesystem::file_size(database);
  const int fd = ::open(database.c_str(), O_WRONLY);
  const std::string garbage(4096 * 6, '\x5a');
  ASSERT_GT(size, 4096u * 12);
  ASSERT_EQ(::pwrite(fd, garbage.data(), garbage.size(), 4096 * 4),
            static_cast<ssize_t>(garbage.size()));
  ::close(fd);
  std::string message;
  try {
    const Store store(database);
    const auto lines = store.integrity();
    ASSERT_FALSE(lines.empty());
    EXPECT_EQ(lines[0].rfind(database + ": ", 0), 0u) << lines[0];
    for (const auto& label : store.experiments()) (void)store.events(label.slug);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    message = error.what();
  }
  EXPECT_NE(message.find("the database is damaged"), std::string::npos) << message;
  EXPECT_NE(message.find("move it away: committed records are imported into a new one"),
            std::string::npos);
}

TEST_F(OpeningTest, AFolderThatCannotBeWritten) {
  ASSERT_EQ(chmod(folder.path().c_str(), 0555), 0);
  const std::string expected = database + ": its folder " + folder.path() +
                               " cannot be written (Permission denied); make it writable, or name "
                               "another path with --db";
  const int status = in_child([&] {
    if (geteuid() == 0 && setuid(65534) != 0) return 2;
    return refusal(database) == expected ? 0 : 1;
  });
  chmod(folder.path().c_str(), 0755);
  EXPECT_EQ(status, 0);
}

TEST_F(OpeningTest, NetworkFileSystemsAreKnownByTheirMagic) {
  EXPECT_EQ(network_file_system(0x6969), "NFS");
  EXPECT_EQ(network_file_system(static_cast<int>(0xFF534D42u)), "CIFS");  // negative as a word
  EXPECT_EQ(network_file_system(0x01021997), "9p");
  EXPECT_EQ(network_file_system(0x65735546), "FUSE");
  EXPECT_EQ(network_file_system(0xEF53), "");      // ext4
  EXPECT_EQ(network_file_system(0x01021994), "");  // tmpfs
  EXPECT_EQ(network_file_system(0x794c7630), "");  // overlay
}

// A limit on file size stands in for a full disk: the write fails in the middle of a transaction.
TEST_F(OpeningTest, ADiskThatRefusesAWriteLeavesNothingHalfWritten) {
  std::size_t events = 0;
  {
    Store store(database);
    play_proposal(store, "tile", definition_text("tile"));
    events = store.events("tile").size();
  }
  const int status = in_child([&] {
    signal(SIGXFSZ, SIG_IGN);
    Store store(database);
    const std::string run = store.open_run("tile", {"run", "", {}});
    const rlimit limit{256 * 1024, 256 * 1024};
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      store.append(run, EventKind::kLook, Look{"ab", 1, std::string(1 << 20, 'x')});
    } catch (const Error& error) {
      const std::string message = error.what();
      const bool advice = message.find("nothing was half-written") != std::string::npos;
      return error.kind() == ErrorKind::kUsage && advice && message.find(database) == 0 ? 0 : 1;
    }
    return 2;
  });
  EXPECT_EQ(status, 0);
  const Store store(database);
  EXPECT_TRUE(store.integrity().empty());
  EXPECT_EQ(store.events("tile").size(), events + 1);  // the run's opening, committed before
}

TEST_F(OpeningTest, ANewDatabaseAppearsWholeOrNotAtAll) {
  const int status = in_child([&] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{16 * 1024, 16 * 1024};
    setrlimit(RLIMIT_FSIZE, &limit);
    return refusal(database).find(database + ": ") == 0 ? 0 : 1;
  });
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  { const Store store(database); }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST_F(OpeningTest, WhatAKilledMakerLeftGoesWithTheNext) {
  const int status = in_child([&] {
    const TemporaryDatabase temporary(database);
    write_text(temporary.name() + "-wal", "a log");
    _exit(7);  // as after a kill: no destructor runs
    return 0;
  });
  EXPECT_EQ(status, 7);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 2);
  const TemporaryDatabase living(database);
  { const Store store(database); }
  EXPECT_TRUE(std::filesystem::exists(living.name()));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 2);
}

TEST_F(OpeningTest, ADatabaseThatCannotBeWrittenIsReadFromACopy) {
  {
    Store store(database);
    play_proposal(store, "tile", definition_text("tile"));
  }
  ASSERT_EQ(chmod(folder.path().c_str(), 0555), 0);
  const int status = in_child([&] {
    if (geteuid() == 0 && setuid(65534) != 0) return 2;
    if (Store::can_write(database)) return 3;
    Store copy = Store::copy_in_memory(database);
    if (copy.events("tile").size() != 3 || !copy.integrity().empty()) return 4;
    const Store none = Store::copy_in_memory(folder.path() + "/none.db");
    return none.experiments().empty() ? 0 : 5;
  });
  chmod(folder.path().c_str(), 0755);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(Store::can_write(database));
}

TEST_F(OpeningTest, ACopyHoldsWhatOnlyTheLogHolds) {
  Store store(database);  // open: what it writes stays in the log
  play_proposal(store, "tile", definition_text("tile"));
  EXPECT_EQ(Store::copy_in_memory(database).events("tile").size(), 3u);
}

}  // namespace
}  // namespace assay
