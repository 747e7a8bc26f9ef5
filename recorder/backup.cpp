// See backup.h. Both ways the pages go through SQLite's backup call, in one step: a consistent
// state of the source, its log included, whoever else reads or writes it.
#include "recorder/backup.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>

#include "engine/core/error.h"
#include "engine/core/utc_time.h"
#include "recorder/open_checks.h"
#include "recorder/schema.h"
#include "recorder/schema_trust.h"
#include "recorder/store_state.h"
#include "recorder/temporary_database.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr double kPatience_s = 5;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(ErrorKind::kUsage, fmt::format("{}: {}", path, why));
}

void to_disk(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool done = fd >= 0 && ::fsync(fd) == 0;
  const int why = errno;
  if (fd >= 0) ::close(fd);
  if (!done) refuse(path, fmt::format("could not be brought to the disk: {}", std::strerror(why)));
}

std::string folder_of(const std::string& path) {
  const std::string parent = fs::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

// All pages of `source` into a file of its own, which then needs no log.
void copy_into(const Connection& source, const std::string& file) {
  const Connection copy(file, SQLITE_OPEN_READWRITE);
  copy.execute("PRAGMA journal_mode = MEMORY");  // nobody needs half a copy back
  sqlite3_backup* backup = sqlite3_backup_init(copy.handle(), "main", source.handle(), "main");
  if (backup == nullptr) copy.fail("copying");
  sqlite3_backup_step(backup, -1);
  const int code = sqlite3_backup_finish(backup);
  if (code != SQLITE_OK) {
    // Reading and writing fail with different codes, but not on different connections.
    refuse(file, explain_sqlite(code, sqlite3_errstr(code)));
  }
  copy.execute("PRAGMA journal_mode = DELETE");
  copy_trust(source, copy);
}

BackedUp count(const Connection& connection) {
  const auto number = [&](const char* sql) {
    return static_cast<std::size_t>(connection.number(sql));
  };
  return {number("SELECT count(*) FROM label"), number("SELECT count(*) FROM run"),
          number("SELECT count(*) FROM event"),
          number("PRAGMA page_count") * number("PRAGMA page_size")};
}

// "" for sound pages, else what is wrong with the first that is not.
std::string damage_of(const Connection& connection) {
  try {
    const std::string found = connection.text("PRAGMA integrity_check(1)");
    return found == "ok" ? "" : found;
  } catch (const Error& error) {
    return error.what();
  }
}

struct RunState {
  std::string name;  // "tile, run 2"; of no experiment: "`assay renumber`, run 0"
  std::int64_t events = 0;
};

// `command` is what opened a run of no experiment; they share one sequence.
std::string name_of(const std::string& slug, std::int64_t ordinal, const std::string& command) {
  return fmt::format("{}, run {}",
                     !slug.empty()            ? slug
                     : command == "calibrate" ? "calibration"
                     : command.empty()        ? "no experiment"
                                              : "`assay " + command + "`",
                     ordinal);
}

std::map<std::string, RunState> runs_of(const Connection& connection) {
  Statement row(connection,
                "SELECT id, slug, ordinal, (SELECT count(*) FROM event WHERE run = id), "
                "coalesce((SELECT json_extract(body, '$.command') FROM event WHERE run = id AND "
                "idx = 0 AND slug = '' AND json_valid(body)), '') FROM run");
  std::map<std::string, RunState> runs;
  while (row.step()) {
    runs[row.text(0)] = {name_of(row.text(1), row.number(2), row.text(4)), row.number(3)};
  }
  return runs;
}

// Runs of `now` that `then` lacks, or has with fewer events.
std::vector<std::string> missing(const Connection& now, const Connection& then) {
  const std::map<std::string, RunState> backup = runs_of(then);
  std::vector<std::string> lost;
  for (const auto& [id, run] : runs_of(now)) {
    const auto found = backup.find(id);
    if (found != backup.end() && found->second.events >= run.events) continue;
    lost.push_back(run.name);
  }
  return lost;
}

// What is wrong with `path`, which the message names and says how to get on without.
std::string without_advice(std::string what, const std::string& path) {
  if (what.starts_with(path + ": ")) what = what.substr(path.size() + 2);
  return what.substr(0, std::min({what.find("; move it away"), what.find("; name another"),
                                  what.find(", or name another")}));
}

// Messages speak of FILE, which --db has nothing to do with.
void check_backup_file(const std::string& file) {
  const auto refuse_it = [&](const std::string& why) {
    refuse(file, why + "; give a file that `assay backup` wrote; nothing was changed");
  };
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) refuse_it(std::strerror(errno));
  if (S_ISDIR(status.st_mode)) refuse_it("is a folder");
  if (!S_ISREG(status.st_mode)) refuse_it("is no regular file");
  const FileHead head = file_head(file);
  if (head == FileHead::kNothing) refuse_it("is an empty file");
  if (head != FileHead::kDatabase) refuse_it("is no backup of an Assay database");
}

// What the database that is to be replaced would lose, and whether it can be used at all.
void judge_replaced(const std::string& path, const Connection& backup, Restored& restored) {
  const FileHead head = file_head(path);
  if (head == FileHead::kNothing) restored.damage = "it was an empty file";
  if (head == FileHead::kZeros) restored.damage = "zeros stood in the place of its beginning";
  if (!restored.damage.empty()) return;
  try {
    check_database_path(path, false);
    const Connection now(path, SQLITE_OPEN_READWRITE);
    sqlite3_busy_timeout(now.handle(), static_cast<int>(kPatience_s * 1000));
    check_schema_owner(now);
    restored.lost = missing(now, backup);
    restored.damage = damage_of(now);
    if (!restored.damage.empty()) return;
    Statement checkpoint(now, "PRAGMA wal_checkpoint(TRUNCATE)");
    if (checkpoint.step() && checkpoint.number(0) != 0) {
      refuse(path, "another process is reading the database; wait for it or end it");
    }
  } catch (const Error& error) {
    const std::string what = error.what();
    if (what.find("another process") != std::string::npos ||
        what.find("another program's") != std::string::npos ||
        what.find("written by a newer Assay") != std::string::npos) {
      throw;
    }
    restored.damage = without_advice(what, path);
  }
}

// A name beside `path` for what was there; its log goes with it where it could not be emptied.
std::string keep_beside(const std::string& path) {
  std::string stamp = utc_now().substr(0, 19);
  std::erase_if(stamp, [](char c) { return c == '-' || c == ':'; });
  std::string kept;
  for (int i = 0;; ++i) {
    kept = fmt::format("{}.replaced-{}{}", path, stamp, i == 0 ? "" : fmt::format("-{}", i));
    if (::link(path.c_str(), kept.c_str()) == 0) break;
    if (errno == EEXIST) continue;
    std::error_code error;  // a file system without hard links
    if (!fs::copy_file(path, kept, error)) {
      refuse(path, fmt::format("could not be kept beside: {}", error.message()));
    }
    to_disk(kept);
    break;
  }
  std::error_code error;
  if (fs::file_size(path + "-wal", error) > 0 && !error) {
    ::rename((path + "-wal").c_str(), (kept + "-wal").c_str());
  }
  for (const char* end : {"-wal", "-shm"}) ::unlink((path + end).c_str());
  return kept;
}

}  // namespace

BackedUp back_up(const Store& store, const std::string& file) {
  const auto exists = [&] { refuse(file, "is there already; a backup is written to a new file"); };
  struct stat status {};
  if (::lstat(file.c_str(), &status) == 0) exists();
  const TemporaryDatabase temporary(file);
  copy_into(store.state_->connection, temporary.name());
  BackedUp content;
  {
    const Connection copy(temporary.name(), SQLITE_OPEN_READWRITE);
    check_schema(copy);
    const std::string damage = damage_of(copy);
    if (!damage.empty()) {
      refuse(store.state_->connection.path(),
             fmt::format("no backup was made, since the copy is damaged ({}), as the database then "
                         "is: `assay check --chain` says more",
                         damage));
    }
    content = count(copy);
  }
  to_disk(temporary.name());
  temporary.open_to_all();
  if (::link(temporary.name().c_str(), file.c_str()) != 0) {
    if (errno == EEXIST) exists();
    if (::renameat2(AT_FDCWD, temporary.name().c_str(), AT_FDCWD, file.c_str(), RENAME_NOREPLACE) !=
        0) {
      refuse(file, fmt::format("cannot be created: {}", std::strerror(errno)));
    }
  }
  to_disk(folder_of(file));
  return content;
}

namespace {

// Error(kUsage) that speaks of `file`, where it is damaged, cut off, or another program's.
void copy_backup(const std::string& file, const std::string& copy) {
  try {
    {
      const Connection source(file, SQLITE_OPEN_READONLY);
      copy_into(source, copy);
    }
    const Connection backup(copy, SQLITE_OPEN_READWRITE);
    check_schema_owner(backup);
    const std::string damage = damage_of(backup);
    if (!damage.empty()) refuse(copy, "is damaged: " + damage);
  } catch (const Error& error) {
    const std::string said = error.what();
    // The fault of the place, which the message names.
    if (said.find(": the disk ") != std::string::npos) throw;
    refuse(file, without_advice(without_advice(said, copy), file) +
                     "; give another backup; nothing was changed");
  }
}

}  // namespace

Restored restore(const std::string& file, const std::string& path, bool older) {
  std::error_code error;
  if (fs::equivalent(file, path, error) && !error) refuse(file, "is the database itself");
  check_backup_file(file);
  const TemporaryDatabase temporary(path);
  Restored restored;
  copy_backup(file, temporary.name());
  const Connection backup(temporary.name(), SQLITE_OPEN_READWRITE);
  restored.content = count(backup);
  to_disk(temporary.name());
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0) {
    judge_replaced(path, backup, restored);
    if (!restored.lost.empty() && restored.damage.empty() && !older) {
      refuse(file,
             fmt::format("is older than the database: it lacks {} of its runs ({}{}); nothing "
                         "was changed. --older puts it in place nevertheless",
                         restored.lost.size(), restored.lost.front(),
                         restored.lost.size() > 1 ? ", ..." : ""));
    }
    restored.kept = keep_beside(path);
  }
  temporary.open_to_all();
  if (::rename(temporary.name().c_str(), path.c_str()) != 0) {
    refuse(path, fmt::format("cannot be replaced: {}", std::strerror(errno)));
  }
  to_disk(folder_of(path));
  return restored;
}

}  // namespace assay
