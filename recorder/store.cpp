// Opening the database.
//
// WAL with synchronous=FULL: a committed event survives a power cut, readers never block the
// writer, and a process killed at any moment leaves a database that recovers by itself. Several
// processes may hold it open; each Journal call takes the write lock once (BEGIN IMMEDIATE) and
// waits for it as long as the opener's patience goes.
#include "recorder/store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "engine/core/error.h"
#include "recorder/open_checks.h"
#include "recorder/schema.h"
#include "recorder/schema_trust.h"
#include "recorder/store_state.h"
#include "recorder/temporary_database.h"

namespace assay {
namespace {

// Two processes that create the same file race for the switch to WAL, which SQLite answers with
// "busy" at once instead of waiting.
void switch_to_wal(const Connection& connection) {
  for (int attempt = 0;; ++attempt) {
    try {
      const std::string mode = connection.text("PRAGMA journal_mode = WAL");
      if (mode == "wal") return;
      throw Error(
          ErrorKind::kUsage,
          fmt::format("{}: this file system cannot hold a write-ahead log (got \"{}\"); name a "
                      "path on a local disk with --db",
                      connection.path(), mode));
    } catch (const Error&) {
      const int code = sqlite3_errcode(connection.handle()) & 0xff;
      if ((code != SQLITE_BUSY && code != SQLITE_LOCKED) || attempt == 100) throw;
      const timespec pause{0, 20'000'000};
      nanosleep(&pause, nullptr);
    }
  }
}

int flags(bool read_only) {
  return (read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE) | SQLITE_OPEN_FULLMUTEX;
}

void prepare(Connection& connection, const Store::Patience& patience) {
  connection.wait_for_others(patience.seconds, patience.tell);
  connection.execute(
      "PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; "
      "PRAGMA recursive_triggers = ON; PRAGMA cell_size_check = ON");
}

// Not every file system knows both ways.
bool name_if_free(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  return errno != EEXIST && ::link(from.c_str(), to.c_str()) == 0;
}

// A new database is made under another name and then given its own, which must be free. So a file
// that is empty or half made is never ours, and two commands may create the same one.
void create_database(const std::string& path, const Store::Patience& patience) {
  const TemporaryDatabase temporary(path);
  try {
    Connection connection(temporary.name(), flags(false));
    prepare(connection, patience);
    connection.execute("PRAGMA journal_mode = MEMORY");  // nobody needs half of it back
    create_schema(connection);
    switch_to_wal(connection);
  } catch (const Error& error) {
    std::string what = error.what();
    if (what.starts_with(temporary.name())) what.replace(0, temporary.name().size(), path);
    throw Error(error.kind(), what);
  }
  temporary.open_to_all();
  if (!name_if_free(temporary.name(), path) && errno != EEXIST) {
    throw Error(ErrorKind::kUsage, fmt::format("{}: cannot be created: {}; name another with --db",
                                               path, std::strerror(errno)));
  }
}

// Copies what `source` holds into `copy`; the extended result code.
int copy_pages(const Connection& source, const Connection& copy) {
  sqlite3_backup* backup = sqlite3_backup_init(copy.handle(), "main", source.handle(), "main");
  if (backup == nullptr) copy.fail("copying into memory");
  sqlite3_backup_step(backup, -1);
  const int code = sqlite3_backup_finish(backup);
  if (code == SQLITE_OK) copy_trust(source, copy);
  return code;
}

std::string immutable_uri(const std::string& path) {
  std::string uri = "file:";
  for (const char c : std::filesystem::absolute(path).string()) {
    uri += c == '%' || c == '?' || c == '#' ? fmt::format("%{:02x}", c) : std::string(1, c);
  }
  return uri + "?immutable=1";
}

// A log of committed changes beside the database, which a reader must not leave out.
bool has_log(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path + "-wal", error);
  return !error && size > 0;
}

}  // namespace

Store::Store(const std::string& path, bool read_only, const Patience& patience) {
  check_database_path(path, read_only);
  if (!read_only && !std::filesystem::exists(path)) create_database(path, patience);
  state_ = std::make_unique<State>(path, flags(read_only));
  Connection& connection = state_->connection;
  prepare(connection, patience);
  if (read_only) {
    check_schema(connection);
    return;
  }
  // Before anything that writes: the file may be another program's.
  migrate(connection);
  switch_to_wal(connection);
  connection.execute("PRAGMA synchronous = FULL");
  for (const std::string& line : mend_schema(connection)) {
    if (patience.tell) patience.tell(line);
  }
  adopt_schema(connection);
}

bool Store::changed_by_hand() const {
  return assay::changed_by_hand(state_->connection);
}

std::int64_t Store::data_version() const {
  return state_->connection.number("PRAGMA data_version");
}

void Store::trust() const {
  Transaction transaction(state_->connection);
  trust_schema(state_->connection);
  transaction.commit();
}

Store::Store(std::unique_ptr<State> state) : state_(std::move(state)) {}

Store::Store(Store&&) noexcept = default;

Store::~Store() = default;

Store Store::copy_in_memory(const std::string& path, const Patience& patience) {
  auto state = std::make_unique<State>(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX);
  state->in_memory = true;
  state->connection.call_it(path);
  if (!std::filesystem::exists(path)) {
    prepare(state->connection, patience);
    create_schema(state->connection);
    return Store(std::move(state));
  }
  check_database_path(path, true);
  int code = SQLITE_OK;
  {
    Connection source(path, flags(true));
    source.wait_for_others(patience.seconds, patience.tell);
    code = copy_pages(source, state->connection);
  }
  const int kind = code & 0xff;
  const bool no_shared_log = kind == SQLITE_CANTOPEN || kind == SQLITE_READONLY ||
                             kind == SQLITE_FULL || code == SQLITE_IOERR_SHMSIZE ||
                             code == SQLITE_IOERR_SHMOPEN;
  if (no_shared_log && !has_log(path)) {
    // SQLite would make files beside this one, to share a log that is not there. So the file is all
    // there is, and where nobody can write it cannot change.
    const Connection source(immutable_uri(path), flags(true) | SQLITE_OPEN_URI);
    code = copy_pages(source, state->connection);
  } else if (no_shared_log) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{0}: {0}-wal holds changes that cannot be read where nothing can be "
                            "written; copy both files to a folder that can be, and name the copy "
                            "with --db",
                            path));
  }
  if (code != SQLITE_OK) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: {}", path, explain_sqlite(code, sqlite3_errstr(code))));
  }
  prepare(state->connection, patience);
  migrate(state->connection);
  mend_schema(state->connection);  // of the copy: nothing to tell
  return Store(std::move(state));
}

bool Store::can_write(const std::string& path) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  if (::access(path.c_str(), F_OK) == 0 && ::access(path.c_str(), W_OK) != 0) return false;
  return ::access(folder.c_str(), W_OK) == 0;
}

void Store::together(const std::function<void()>& steps) {
  Transaction transaction(state_->connection);
  steps();
  transaction.commit();
}

}  // namespace assay
