#include "recorder/schema_trust.h"

#include <fmt/format.h>

#include <cstdint>

#include "engine/core/error.h"

namespace assay {
namespace {

// The count of changes that was there last is kept among the known files, under no name; none where
// no program that knows of it has been here.
std::int64_t count_left(const Connection& connection) {
  return connection.number("SELECT coalesce((SELECT size FROM imported_file WHERE path = ''), -2)");
}
constexpr std::int64_t kNone = -2, kNotTrusted = -1;

void leave_count(const Connection& connection, std::int64_t count) {
  connection.execute(fmt::format(
      "INSERT OR REPLACE INTO imported_file(path, size, mtime) VALUES ('', {}, 0)", count));
}

}  // namespace

bool changed_by_hand(const Connection& connection) {
  const std::int64_t left = count_left(connection);
  return left != kNone && left != connection.number("PRAGMA schema_version");
}

void adopt_schema(const Connection& connection) {
  if (count_left(connection) != kNone) return;
  try {
    Transaction transaction(connection, Transaction::IfFree());
    if (!transaction.holds()) return;
    if (count_left(connection) == kNone) trust_schema(connection);
    transaction.commit();
  } catch (const Error&) {
    // A full disk is no reason not to open it.
  }
}

void trust_schema(const Connection& connection) {
  leave_count(connection, connection.number("PRAGMA schema_version"));
}

void copy_trust(const Connection& source, const Connection& copy) {
  if (copy.number("SELECT count(*) FROM sqlite_master WHERE name = 'imported_file'") == 0) return;
  const std::int64_t left = count_left(copy);
  if (left == kNone) return;
  const bool trusted = left == source.number("PRAGMA schema_version");
  leave_count(copy, trusted ? copy.number("PRAGMA schema_version") : kNotTrusted);
}

}  // namespace assay
