// Opening the database.
//
// WAL with synchronous=FULL: a committed event survives a power cut, readers never block the
// writer, and a process killed at any moment leaves a database that recovers by itself. Several
// processes may hold it open; each Journal call takes the write lock once (BEGIN IMMEDIATE) and
// waits up to 30 s for it.
#include "recorder/store.h"

#include <fmt/format.h>
#include <time.h>

#include "engine/core/error.h"
#include "recorder/open_checks.h"
#include "recorder/schema.h"
#include "recorder/store_state.h"

namespace assay {
namespace {

constexpr int kBusyMs = 30000;

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
  return (read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) |
         SQLITE_OPEN_FULLMUTEX;
}

}  // namespace

Store::Store(const std::string& path, bool read_only) {
  check_database_path(path, read_only);
  state_ = std::make_unique<State>(path, flags(read_only));
  const Connection& connection = state_->connection;
  sqlite3_busy_timeout(connection.handle(), kBusyMs);
  connection.execute(
      "PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; "
      "PRAGMA recursive_triggers = ON; PRAGMA cell_size_check = ON");
  if (read_only) {
    check_schema(connection);
    return;
  }
  switch_to_wal(connection);
  connection.execute("PRAGMA synchronous = FULL");
  migrate(connection);
}

Store::~Store() = default;

}  // namespace assay
