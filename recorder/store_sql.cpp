// `assay query --sql`: one SELECT, on a connection of its own that cannot write.
//
// Three locks, each enough by itself: the file is opened read-only (or is a copy in memory), an
// authorizer refuses everything but reading, and the prepared statement must say that it is
// read-only. Time and size are limited: a join without its condition, or a recursion without an
// end, is one typing mistake away.
#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "engine/core/error.h"
#include "recorder/store_state.h"

namespace assay {
namespace {

int only_reading(void* refused, int action, const char*, const char* second, const char*,
                 const char*) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_FUNCTION:
      if (second == nullptr || std::string_view(second) != "load_extension") return SQLITE_OK;
      break;
    default:
      break;
  }
  *static_cast<bool*>(refused) = true;
  return SQLITE_DENY;
}

[[noreturn]] void refuse(const std::string& why) {
  throw Error(
      ErrorKind::kUsage,
      fmt::format("--sql: {}; give one SELECT over the tables label, run, event or the views "
                  "experiments, attempts, pairs",
                  why));
}

// Numbers stay numbers. Infinity, which JSON lacks, is SQLite's text for it; a BLOB is its size.
nlohmann::json cell(const Statement& statement, int column) {
  sqlite3_stmt* const row = statement.handle();
  switch (sqlite3_column_type(row, column)) {
    case SQLITE_NULL:
      return nullptr;
    case SQLITE_INTEGER:
      return statement.number(column);
    case SQLITE_FLOAT:
      if (!std::isfinite(sqlite3_column_double(row, column))) break;
      return sqlite3_column_double(row, column);
    case SQLITE_BLOB:
      return fmt::format("<{} bytes>", sqlite3_column_bytes(row, column));
    default:
      break;
  }
  return statement.text(column);
}

bool blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n;") == std::string_view::npos;
}

// Ends a statement that has had its time or is not wanted any more; SQLite asks it now and then.
struct Watch {
  const Store::SqlLimits& limits;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();

  bool stopped() const { return limits.stop != nullptr && limits.stop->load(); }
  bool late() const {
    return std::chrono::steady_clock::now() - start > std::chrono::duration<double>(limits.seconds);
  }
  static int ask(void* self) {
    const Watch& watch = *static_cast<const Watch*>(self);
    return watch.stopped() || watch.late() ? 1 : 0;
  }
};

// The authorizer and the watch on a connection, taken off again.
class Guarded {
 public:
  Guarded(const Connection& connection, bool& refused, Watch& watch)
      : handle_(connection.handle()) {
    constexpr int kStepsBetweenQuestions = 1000;
    sqlite3_set_authorizer(handle_, only_reading, &refused);
    sqlite3_progress_handler(handle_, kStepsBetweenQuestions, Watch::ask, &watch);
  }
  ~Guarded() {
    sqlite3_progress_handler(handle_, 0, nullptr, nullptr);
    sqlite3_set_authorizer(handle_, nullptr, nullptr);
  }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

 private:
  sqlite3* handle_;
};

[[noreturn]] void give_up(const Watch& watch) {
  throw Error(ErrorKind::kInternal,
              watch.stopped()
                  ? std::string("--sql: stopped before there was an answer; nothing was printed")
                  : fmt::format("--sql: no answer within {} s, so the statement was ended; ask for "
                                "less, or give it longer with --time-limit",
                                watch.limits.seconds));
}

void check_statement(const Connection& reader, const std::string& statement, const bool& refused) {
  sqlite3_stmt* raw = nullptr;
  const char* tail = nullptr;
  const int code = sqlite3_prepare_v2(reader.handle(), statement.c_str(),
                                      static_cast<int>(statement.size()), &raw, &tail);
  const std::string why = sqlite3_errmsg(reader.handle());
  const bool reads = raw && sqlite3_stmt_readonly(raw) != 0;
  const bool single = tail && blank(tail);
  sqlite3_finalize(raw);
  if (refused) refuse("only reading is allowed");
  if (code != SQLITE_OK) refuse(why);
  if (!raw) refuse("there is no statement");
  if (!reads) refuse("only reading is allowed");
  if (!single) refuse("more than one statement");
}

std::size_t size_of(const Store::SqlRow& row) {
  std::size_t bytes = row.size() * sizeof(nlohmann::json);
  for (const nlohmann::json& value : row) {
    if (value.is_string()) bytes += value.get_ref<const std::string&>().size();
  }
  return bytes;
}

std::vector<Store::SqlRow> answer(const Connection& reader, const std::string& statement,
                                  const Watch& watch) {
  Statement query(reader, statement);
  const int columns = sqlite3_column_count(query.handle());
  std::vector<Store::SqlRow> rows(1);
  for (int i = 0; i < columns; ++i) rows[0].push_back(sqlite3_column_name(query.handle(), i));
  std::size_t bytes = 0;
  while (true) {
    const int step = sqlite3_step(query.handle());
    if (step == SQLITE_DONE) return rows;
    if (step == SQLITE_INTERRUPT) give_up(watch);
    if (step != SQLITE_ROW) refuse(sqlite3_errmsg(reader.handle()));
    Store::SqlRow& row = rows.emplace_back();
    for (int i = 0; i < columns; ++i) row.push_back(cell(query, i));
    bytes += size_of(row);
    if (bytes > watch.limits.bytes) {
      throw Error(ErrorKind::kInternal,
                  fmt::format("--sql: the answer is larger than {} MB; ask for less, with LIMIT or "
                              "an aggregate",
                              watch.limits.bytes >> 20));
    }
  }
}

}  // namespace

std::vector<Store::SqlRow> Store::sql(const std::string& statement, const SqlLimits& limits) const {
  std::optional<Connection> own;
  if (!state_->in_memory) {
    own.emplace(state_->connection.path(), SQLITE_OPEN_READONLY | SQLITE_OPEN_FULLMUTEX);
    sqlite3_busy_timeout(own->handle(), 10000);
  }
  const Connection& reader = own ? *own : state_->connection;
  sqlite3_limit(reader.handle(), SQLITE_LIMIT_LENGTH, static_cast<int>(limits.bytes));
  bool refused = false;
  Watch watch{limits};
  const Guarded guarded(reader, refused, watch);
  check_statement(reader, statement, refused);
  return answer(reader, statement, watch);
}

}  // namespace assay
