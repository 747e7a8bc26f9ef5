// See sqlite_connection.h. Codes are the extended ones, so that a short write (disk full at a
// quota) and a damaged page get different advice.
#include "recorder/sqlite_connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "engine/core/error.h"

namespace assay {

std::string explain_sqlite(int extended_code, const std::string& sqlite_message) {
  switch (extended_code & 0xff) {
    case SQLITE_FULL:
      return "the disk is full; free some space and run the command again (nothing was "
             "half-written)";
    case SQLITE_NOTADB:
      return "this file is not an Assay database; name another with --db, or move it away: "
             "committed "
             "records are imported into a new one";
    case SQLITE_CORRUPT:
      return fmt::format(
          "the database is damaged ({}); move it away: committed records are imported "
          "into a new one",
          sqlite_message);
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return "the database cannot be written; make file and folder writable, or name another with "
             "--db";
    case SQLITE_CANTOPEN:
      return "the database cannot be opened or created; check that its folder exists and is "
             "writable, or name another with --db";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "another process has been writing to the database for too long; wait for it or end it";
    case SQLITE_IOERR:
      return fmt::format(
          "the disk refused a read or write ({}, code {}); check free space, quota and "
          "the disk (nothing was half-written)",
          sqlite_message, extended_code);
    default:
      return fmt::format("{} (SQLite code {})", sqlite_message, extended_code);
  }
}

namespace {

constexpr double kSilence_s = 2;
constexpr double kPatientFor_s = 0.5;

ErrorKind kind_of(int extended_code) {
  switch (extended_code & 0xff) {
    case SQLITE_FULL:
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_IOERR:
      return ErrorKind::kUsage;
    default:
      return ErrorKind::kInternal;
  }
}

}  // namespace

Connection::Connection(const std::string& path, int flags) : path_(path) {
  const int code = sqlite3_open_v2(path.c_str(), &handle_, flags, nullptr);
  if (code != SQLITE_OK) {
    const std::string why =
        handle_ ? explain_sqlite(sqlite3_extended_errcode(handle_), sqlite3_errmsg(handle_))
                : "out of memory";
    sqlite3_close_v2(handle_);
    throw Error(ErrorKind::kUsage, fmt::format("{}: {}", path, why));
  }
  sqlite3_extended_result_codes(handle_, 1);
}

Connection::~Connection() {
  for (const auto& [sql, statement] : kept_) sqlite3_finalize(statement);
  sqlite3_close_v2(handle_);
}

void Connection::fail(const std::string& doing) const {
  const int code = sqlite3_extended_errcode(handle_);
  throw Error(kind_of(code), fmt::format("{}: {}: {}", path_, doing,
                                         explain_sqlite(code, sqlite3_errmsg(handle_))));
}

void Connection::wait_for_others(double seconds, std::function<void(const std::string&)> tell) {
  patience_s_ = seconds;
  tell_ = std::move(tell);
  sqlite3_busy_handler(handle_, on_busy, this);
}

int Connection::on_busy(void* connection, int calls) {
  Connection& self = *static_cast<Connection*>(connection);
  if (!self.waits_) return 0;
  const auto now = std::chrono::steady_clock::now();
  if (calls == 0) {
    self.waits_since_ = now;
    self.told_ = false;
  }
  const double passed_s = std::chrono::duration<double>(now - self.waits_since_).count();
  if (passed_s >= self.patience_s_) return 0;
  if (!self.told_ && self.tell_ && passed_s >= kSilence_s) {
    self.told_ = true;
    self.tell_(fmt::format("{}: another process is writing to the database; waiting up to {} s",
                           self.path_, self.patience_s_));
  }
  // Who has waited for long looks most often: whoever asks next would be faster else, every time.
  const int nap_ms = passed_s < kPatientFor_s ? std::min(1 + calls, 10) : 1;
  std::this_thread::sleep_for(std::chrono::milliseconds(nap_ms));
  return 1;
}

bool Connection::begin_if_free() const {
  if (sqlite3_db_readonly(handle_, "main") != 0) return false;
  waits_ = false;
  const int code = sqlite3_exec(handle_, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr);
  waits_ = true;
  const int kind = code & 0xff;
  if (kind == SQLITE_BUSY || kind == SQLITE_LOCKED || kind == SQLITE_READONLY) return false;
  if (code != SQLITE_OK) fail("database access");
  return true;
}

void Connection::execute(const std::string& sql) const {
  if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    fail("database access");
  }
}

std::int64_t Connection::number(const std::string& sql) const {
  Statement statement(*this, sql);
  return statement.step() ? statement.number(0) : 0;
}

std::string Connection::text(const std::string& sql) const {
  Statement statement(*this, sql);
  return statement.step() ? statement.text(0) : "";
}

Statement::Statement(const Connection& connection, std::string_view sql) : connection_(connection) {
  if (sqlite3_prepare_v2(connection.handle(), sql.data(), static_cast<int>(sql.size()), &handle_,
                         nullptr) != SQLITE_OK) {
    connection.fail("database access");
  }
}

sqlite3_stmt* Connection::take_kept(std::string_view sql) const {
  const std::lock_guard guard(kept_mutex_);
  const auto found = kept_.find(sql);
  if (found == kept_.end()) return nullptr;
  sqlite3_stmt* const statement = found->second;
  kept_.erase(found);
  return statement;
}

Statement::Statement(const Connection& connection, std::string_view sql, Kept)
    : connection_(connection), handle_(connection.take_kept(sql)), kept_(true) {
  if (handle_ != nullptr) return;
  if (sqlite3_prepare_v2(connection.handle(), sql.data(), static_cast<int>(sql.size()), &handle_,
                         nullptr) != SQLITE_OK) {
    connection.fail("database access");
  }
}

Statement::~Statement() {
  // What failed is not asked again.
  if (!kept_ || sqlite3_reset(handle_) != SQLITE_OK) {
    sqlite3_finalize(handle_);
    return;
  }
  sqlite3_clear_bindings(handle_);
  const std::lock_guard guard(connection_.kept_mutex_);
  connection_.kept_.emplace(sqlite3_sql(handle_), handle_);
}

Statement& Statement::bind(int position, std::string_view text) {
  const char* data = text.data() ? text.data() : "";  // a null pointer would bind NULL
  if (sqlite3_bind_text(handle_, position, data, static_cast<int>(text.size()), SQLITE_TRANSIENT) !=
      SQLITE_OK) {
    connection_.fail("database access");
  }
  return *this;
}

Statement& Statement::bind(int position, std::int64_t number) {
  if (sqlite3_bind_int64(handle_, position, number) != SQLITE_OK) {
    connection_.fail("database access");
  }
  return *this;
}

Statement& Statement::bind_bytes(int position, std::string_view bytes) {
  if (sqlite3_bind_blob(handle_, position, bytes.data(), static_cast<int>(bytes.size()),
                        SQLITE_TRANSIENT) != SQLITE_OK) {
    connection_.fail("database access");
  }
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  connection_.fail("database access");
}

void Statement::run() {
  while (step()) {
  }
}

std::string_view Statement::view(int column) const {
  const void* bytes = sqlite3_column_blob(handle_, column);
  const int size = sqlite3_column_bytes(handle_, column);
  if (bytes == nullptr) return {};
  return {static_cast<const char*>(bytes), static_cast<std::size_t>(size)};
}

std::string Statement::text(int column) const {
  return std::string(view(column));
}

std::int64_t Statement::number(int column) const {
  return sqlite3_column_int64(handle_, column);
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(handle_, column) == SQLITE_NULL;
}

namespace {

// Whoever reads sees the database as it was. Where another process has written since, SQLite then
// refuses a transaction at once instead of waiting: rarely, so it is never allowed.
void refuse_while_reading(sqlite3* handle) {
  sqlite3_stmt* statement = nullptr;
  while ((statement = sqlite3_next_stmt(handle, statement)) != nullptr) {
    if (sqlite3_stmt_busy(statement) == 0) continue;
    throw Error(
        ErrorKind::kInternal,
        fmt::format("a transaction begins while rows are being read: {}", sqlite3_sql(statement)));
  }
}

}  // namespace

Transaction::Transaction(const Connection& connection)
    : connection_(connection), outermost_(connection.depth_ == 0) {
  if (outermost_) refuse_while_reading(connection.handle());
  connection.execute(outermost_ ? "BEGIN IMMEDIATE" : "SAVEPOINT inner");
  ++connection_.depth_;
}

Transaction::Transaction(const Connection& connection, IfFree)
    : connection_(connection), outermost_(connection.depth_ == 0) {
  if (outermost_) refuse_while_reading(connection.handle());
  if (!outermost_) connection.execute("SAVEPOINT inner");
  open_ = !outermost_ || connection.begin_if_free();
  if (open_) ++connection_.depth_;
}

void Transaction::commit() {
  connection_.execute(outermost_ ? "COMMIT" : "RELEASE inner");
  open_ = false;
  --connection_.depth_;
}

Transaction::~Transaction() {
  if (!open_) return;
  --connection_.depth_;
  // A full disk may have ended the whole of it already.
  if (sqlite3_get_autocommit(connection_.handle()) != 0) return;
  sqlite3_exec(connection_.handle(), outermost_ ? "ROLLBACK" : "ROLLBACK TO inner; RELEASE inner",
               nullptr, nullptr, nullptr);
}

}  // namespace assay
