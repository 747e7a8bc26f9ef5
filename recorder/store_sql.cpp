// `assay query --sql`: one SELECT, on a connection of its own that cannot write.
//
// Three locks, each enough by itself: the file is opened read-only, an authorizer refuses
// everything but reading, and the prepared statement must say that it is read-only.
#include <fmt/format.h>

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

std::string cell(const Statement& statement, int column) {
  if (sqlite3_column_type(statement.handle(), column) != SQLITE_BLOB) return statement.text(column);
  return fmt::format("<{} bytes>", statement.text(column).size());
}

bool blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n;") == std::string_view::npos;
}

}  // namespace

std::vector<std::vector<std::string>> Store::sql(const std::string& statement) const {
  const Connection reader(state_->connection.path(), SQLITE_OPEN_READONLY | SQLITE_OPEN_FULLMUTEX);
  sqlite3_busy_timeout(reader.handle(), 10000);
  bool refused = false;
  sqlite3_set_authorizer(reader.handle(), only_reading, &refused);
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

  Statement query(reader, statement);
  const int columns = sqlite3_column_count(query.handle());
  std::vector<std::vector<std::string>> rows(1);
  for (int i = 0; i < columns; ++i) rows[0].push_back(sqlite3_column_name(query.handle(), i));
  while (true) {
    const int step = sqlite3_step(query.handle());
    if (step == SQLITE_DONE) return rows;
    if (step != SQLITE_ROW) refuse(sqlite3_errmsg(reader.handle()));
    std::vector<std::string>& row = rows.emplace_back();
    for (int i = 0; i < columns; ++i) row.push_back(cell(query, i));
  }
}

}  // namespace assay
