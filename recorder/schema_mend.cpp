// What the header's version promises, held against what the file has.
//
// An index that is gone makes the program slow and, where it is unique, lets in what it forbids; a
// trigger that is gone lets history be changed. Neither is met by reading, so each opening compares
// all of them with those of an empty database that is made in memory for it (about 2 ms). They are
// made again, and that is told: someone's hand was in the file, and `assay check` says what it did.
// A table of history cannot be made again.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string_view>

#include "engine/core/error.h"
#include "recorder/schema.h"

namespace assay {
namespace {

struct Object {
  std::string type;  // "table", "index", "trigger", "view"
  std::string table;
  std::string sql;  // as made
};
using Objects = std::map<std::string, Object>;  // by name

// SQL without comments and without differences in white space.
std::string normal(const std::string& sql) {
  std::string out;
  for (std::size_t i = 0; i < sql.size(); ++i) {
    if (sql.compare(i, 2, "--") == 0) {
      i = std::min(sql.find('\n', i), sql.size());
      out += ' ';
      continue;
    }
    const bool space = std::isspace(static_cast<unsigned char>(sql[i])) != 0;
    if (space && (out.empty() || out.back() == ' ')) continue;
    out += space ? ' ' : sql[i];
  }
  return out;
}

Objects objects_of(const Connection& connection) {
  Objects objects;
  Statement row(connection,
                "SELECT name, type, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL");
  while (row.step()) objects[row.text(0)] = {row.text(1), row.text(2), row.text(3)};
  return objects;
}

// The parts of the full-text table, which SQLite makes as its version has them.
bool belongs_to_search(const std::string& name) {
  return name.starts_with("writing_");
}

// Of step 3 (schema.cpp).
bool is_derived(const std::string& name, const Object& object) {
  static const std::set<std::string_view> kDerived{"stale",        "unwritten", "catalog",
                                                   "catalog_name", "written",   "writing"};
  return kDerived.contains(object.table) || belongs_to_search(object.table) ||
         name.ends_with("_marks") || name == "run_going";
}

bool same(const Objects& have, const std::string& name, const Object& wanted) {
  const auto found = have.find(name);
  if (found == have.end() || found->second.type != wanted.type) return false;
  return belongs_to_search(name) || normal(found->second.sql) == normal(wanted.sql);
}

[[noreturn]] void refuse_table(const Connection& connection, const std::string& name, bool there) {
  throw Error(
      ErrorKind::kUsage,
      fmt::format("{}: the database is damaged (its table {} is {}); `assay restore FILE` "
                  "puts a backup in its place, or move it away: committed records are "
                  "imported into a new one",
                  connection.path(), name, there ? "not as this program makes it" : "missing"));
}

// Makes `name` again; what stood under that name goes.
void make_again(const Connection& connection, const Objects& have, const std::string& name,
                const Object& wanted) {
  const auto found = have.find(name);
  try {
    if (found != have.end()) {
      connection.execute(fmt::format("DROP {} \"{}\"", found->second.type, name));
    }
    connection.execute(wanted.sql);
  } catch (const Error&) {
    const int code = sqlite3_extended_errcode(connection.handle());
    if (code != SQLITE_CONSTRAINT_UNIQUE) throw;
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: the database is damaged (its index {} is missing, and the rows "
                            "break it); `assay restore FILE` puts a backup in its place, or move "
                            "it away: committed records are imported into a new one",
                            connection.path(), name));
  }
}

std::string line_of(const Connection& connection, const Objects& have, const std::string& name,
                    const Object& wanted) {
  return fmt::format(
      "{}: its {} {} was {}; made again. Its history may have been changed by hand: "
      "`assay check` says",
      connection.path(), wanted.type, name, have.contains(name) ? "another" : "missing");
}

}  // namespace

// Afterwards changed_by_hand() holds where a line was told of history.
std::vector<std::string> mend_schema(const Connection& connection) {
  static const Objects wanted = [] {
    const Connection model(":memory:", SQLITE_OPEN_READWRITE);
    create_schema(model);
    return objects_of(model);
  }();
  const auto differs = [&](const Objects& have) {
    for (const auto& [name, object] : wanted) {
      if (!same(have, name, object)) return true;
    }
    return false;
  };
  if (!differs(objects_of(connection))) return {};
  Transaction transaction(connection);
  Objects have = objects_of(connection);  // another process may have been here
  std::vector<std::string> lines;
  bool derived = false;
  for (const auto& [name, object] : wanted) {
    if (same(have, name, object)) continue;
    if (is_derived(name, object)) {
      derived = true;
    } else if (object.type == "table") {
      refuse_table(connection, name, have.contains(name));
    }
  }
  for (const auto& [name, object] : wanted) {
    if (same(have, name, object) || is_derived(name, object)) continue;
    make_again(connection, have, name, object);
    lines.push_back(line_of(connection, have, name, object));
  }
  if (!lines.empty()) {
    // What was read of record files may be here no longer: they are read again.
    connection.execute(
        "DELETE FROM imported_file; INSERT INTO imported_file(path, size, mtime) VALUES ('', -1, "
        "0)");
  }
  // What marks them as stale may have been missing, too.
  make_derived_again(connection);
  if (derived) {
    lines.push_back(
        fmt::format("{}: the tables that questions are answered from were missing or "
                    "others; made again from the history",
                    connection.path()));
  }
  transaction.commit();
  return lines;
}

}  // namespace assay
