// The schema is a list of steps; user_version says how many were taken.
//
// Invariants, kept by the database itself so that no later code can break them by accident:
//  1. event, blob, label and aa rows are never changed or deleted.
//  2. A run's events are numbered 0, 1, 2, ... without a gap; a sealed run takes no more.
//  3. A run changes once: when it is sealed. Then `seal` and `previous` are set.
//  4. The sealed runs of one experiment are a chain: no two have the same predecessor.
//  5. REPLACE cannot stand in for an update: rows that exist refuse a second insert.
// Renumbering (a label is outside every hash) is the one exception to 1: it drops the label's
// trigger and makes it again, in one transaction, on purpose.
//
// Step 3 is not history but what is derived from it, so that a question need not read all of it:
// catalog.h has the rows and words, document_files.cpp what was written. Triggers mark what has
// changed since (`stale`, `unwritten`); any of it may be emptied at any time, with every slug put
// into `stale`.
#include "recorder/schema.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <string>
#include <vector>

#include "engine/core/error.h"
#include "experiments/record/event.h"
#include "recorder/schema_trust.h"

namespace assay {
namespace {

constexpr int kApplicationId = 0x41535359;  // "ASSY", in the file's header

// A trigger that refuses one kind of change.
std::string forbid(const std::string& table, const std::string& change, const std::string& when,
                   const std::string& message, const std::string& name) {
  return fmt::format(
      "CREATE TRIGGER {}_{} BEFORE {} ON {} {} BEGIN SELECT RAISE(ABORT, '{}'); END;\n", table,
      name, change, table, when.empty() ? "" : "WHEN " + when, message);
}

std::string tables() {
  return R"sql(
CREATE TABLE label(
  slug   TEXT PRIMARY KEY NOT NULL,
  number INTEGER NOT NULL UNIQUE CHECK (number >= 1)
);
CREATE TABLE run(
  id       TEXT PRIMARY KEY NOT NULL,
  slug     TEXT NOT NULL,          -- '' for a calibration
  ordinal  INTEGER NOT NULL,       -- within the experiment, from 0, in order of opening
  seal     TEXT,                   -- NULL until the run has ended
  previous TEXT,                   -- seal of the experiment's run sealed before this one, or ''
  UNIQUE (slug, ordinal)
);
CREATE UNIQUE INDEX run_chain ON run(slug, previous) WHERE seal IS NOT NULL;
CREATE TABLE event(
  run  TEXT NOT NULL REFERENCES run(id),
  idx  INTEGER NOT NULL,
  kind TEXT NOT NULL,
  at   TEXT NOT NULL,              -- UTC, milliseconds
  body TEXT NOT NULL,              -- canonical JSON
  PRIMARY KEY (run, idx)
) WITHOUT ROWID;
CREATE INDEX event_kind ON event(kind);
CREATE TABLE blob(
  sha256 TEXT PRIMARY KEY NOT NULL,  -- of the content before compression
  zstd   BLOB NOT NULL
);
CREATE TABLE aa(                   -- A/A effects of other machines that a verdict used
  id   TEXT NOT NULL,
  key  TEXT NOT NULL,
  at   TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (id, key)
);
CREATE TABLE imported_file(        -- a cache: may be emptied at any time
  path  TEXT PRIMARY KEY NOT NULL,
  size  INTEGER NOT NULL,
  mtime INTEGER NOT NULL           -- ns
);
)sql";
}

std::string forbid_update(const std::string& table) {
  return forbid(table, "UPDATE", "", table + " is append-only", "no_update");
}

std::string triggers() {
  std::string sql;
  for (const std::string table : {"event", "blob", "label", "aa"}) {
    sql += forbid_update(table);
    sql += forbid(table, "DELETE", "", table + " is append-only", "no_delete");
  }
  sql += forbid("run", "DELETE", "", "run is append-only", "no_delete");
  sql += forbid("run", "UPDATE",
                "OLD.seal IS NOT NULL OR NEW.seal IS NULL OR NEW.previous IS NULL OR "
                "NEW.id <> OLD.id OR NEW.slug <> OLD.slug OR NEW.ordinal <> OLD.ordinal",
                "a run changes only once, by its seal", "seal_once");
  sql += forbid("event", "INSERT",
                "(SELECT seal FROM run WHERE id = NEW.run) IS NOT NULL OR "
                "NOT EXISTS (SELECT 1 FROM run WHERE id = NEW.run)",
                "the run is sealed or unknown", "open_run");
  sql += forbid("event", "INSERT",
                "NEW.idx <> (SELECT coalesce(max(idx) + 1, 0) FROM event WHERE run = NEW.run)",
                "events are numbered without a gap", "in_order");
  sql += forbid("run", "INSERT", "EXISTS (SELECT 1 FROM run WHERE id = NEW.id)",
                "run is append-only", "no_replace");
  sql += forbid("blob", "INSERT", "EXISTS (SELECT 1 FROM blob WHERE sha256 = NEW.sha256)",
                "blob is append-only", "no_replace");
  sql += forbid("label", "INSERT",
                "EXISTS (SELECT 1 FROM label WHERE slug = NEW.slug OR number = NEW.number)",
                "label is append-only", "no_replace");
  sql += forbid("aa", "INSERT", "EXISTS (SELECT 1 FROM aa WHERE id = NEW.id AND key = NEW.key)",
                "aa is append-only", "no_replace");
  return sql;
}

// For people who ask with `assay query --sql`; nothing in the program reads them.
std::string views() {
  const std::string attempt = to_string(EventKind::kAttemptOpened);
  const std::string verdict = to_string(EventKind::kVerdict);
  const std::string sample = to_string(EventKind::kSample);
  return fmt::format(R"sql(
CREATE VIEW attempts AS
SELECT r.slug AS slug, json_extract(o.body, '$.ordinal') AS attempt,
       json_extract(o.body, '$.fingerprint') AS fingerprint,
       json_extract(o.body, '$.candidate') AS candidate, min(o.at) AS opened_at,
       count(*) AS runs,
       max(json_extract(v.body, '$.verdict')) AS verdict,
       max(json_extract(v.body, '$.reason')) AS reason,
       max(json_extract(v.body, '$.effect.estimate')) AS effect,
       max(json_extract(v.body, '$.effect.low')) AS low,
       max(json_extract(v.body, '$.effect.high')) AS high,
       max(json_extract(v.body, '$.effect.pairs')) AS pairs,
       max(v.at) AS verdict_at
FROM event o JOIN run r ON r.id = o.run
LEFT JOIN event v ON v.run = o.run AND v.kind = '{verdict}'
WHERE o.kind = '{attempt}'
GROUP BY r.slug, attempt;

CREATE VIEW experiments AS
SELECT l.number AS number, l.slug AS slug,
       (SELECT min(e.at) FROM event e JOIN run r ON r.id = e.run WHERE r.slug = l.slug) AS opened_at,
       (SELECT count(*) FROM run r WHERE r.slug = l.slug) AS runs,
       (SELECT count(*) FROM attempts a WHERE a.slug = l.slug) AS attempts,
       a.verdict AS verdict, a.reason AS reason, a.effect AS effect, a.low AS low, a.high AS high,
       a.pairs AS pairs, a.verdict_at AS verdict_at
FROM label l LEFT JOIN attempts a ON a.slug = l.slug AND a.attempt =
     (SELECT max(b.attempt) FROM attempts b WHERE b.slug = l.slug AND b.verdict IS NOT NULL)
ORDER BY l.number;

CREATE VIEW pairs AS
SELECT r.slug AS slug,
       (SELECT json_extract(o.body, '$.ordinal') FROM event o
        WHERE o.run = s.run AND o.kind = '{attempt}') AS attempt,
       json_extract(s.body, '$.stage') AS stage, json_extract(s.body, '$.ordinal') AS pair,
       json_extract(s.body, '$.labels') AS labels,
       json_extract(s.body, '$.worker_ns') AS worker_ns,
       json_extract(s.body, '$.runner_ns') AS runner_ns,
       json_extract(s.body, '$.environment') AS environment,
       json_extract(s.body, '$.dropped') AS dropped, s.at AS at, s.run AS run
FROM event s JOIN run r ON r.id = s.run WHERE s.kind = '{sample}';
)sql",
                     fmt::arg("attempt", attempt), fmt::arg("verdict", verdict),
                     fmt::arg("sample", sample));
}

std::string derived_tables() {
  return R"sql(
CREATE INDEX run_going ON run(slug, ordinal) WHERE seal IS NULL;
CREATE TABLE stale(                -- experiments whose rows below are older than their events
  slug TEXT PRIMARY KEY NOT NULL
) WITHOUT ROWID;
CREATE TABLE unwritten(            -- experiments with runs sealed since their record was written
  slug TEXT PRIMARY KEY NOT NULL
) WITHOUT ROWID;
CREATE TABLE catalog(
  id          INTEGER PRIMARY KEY,
  slug        TEXT NOT NULL UNIQUE,
  state       TEXT NOT NULL,
  verdict     TEXT NOT NULL,
  date        TEXT NOT NULL,
  facts       TEXT NOT NULL,       -- JSON: a QueryRow
  notes_size  INTEGER NOT NULL,    -- of the notes that are in it; -1: there were none
  notes_mtime INTEGER NOT NULL     -- ns; 0: so young that they may change unnoticed
);
CREATE TABLE catalog_name(         -- what an experiment is about: kind "lever", "op", "gpu", ...
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  id   INTEGER NOT NULL,
  PRIMARY KEY (kind, name, id)
) WITHOUT ROWID;
CREATE INDEX catalog_name_id ON catalog_name(id);
CREATE INDEX catalog_notes ON catalog(slug, notes_size, notes_mtime);
CREATE TABLE written(              -- generated files, and what they were made from
  path  TEXT PRIMARY KEY NOT NULL,
  made  TEXT NOT NULL,
  size  INTEGER NOT NULL,
  mtime INTEGER NOT NULL           -- ns
) WITHOUT ROWID;
CREATE TRIGGER label_marks AFTER INSERT ON label BEGIN
  INSERT OR IGNORE INTO stale(slug) VALUES (NEW.slug); END;
CREATE TRIGGER event_marks AFTER INSERT ON event BEGIN
  INSERT OR IGNORE INTO stale(slug) SELECT slug FROM run WHERE id = NEW.run AND slug <> ''; END;
CREATE TRIGGER seal_marks AFTER UPDATE OF seal ON run WHEN NEW.slug <> '' BEGIN
  INSERT OR IGNORE INTO stale(slug) VALUES (NEW.slug);
  INSERT OR IGNORE INTO unwritten(slug) VALUES (NEW.slug); END;
INSERT OR IGNORE INTO stale(slug) SELECT slug FROM label;
INSERT OR IGNORE INTO unwritten(slug) SELECT slug FROM label;
)sql" + fmt::format(
             "CREATE VIRTUAL TABLE writing USING fts5({}, tokenize = 'unicode61 "
             "remove_diacritics 2');\n",
             fmt::join(kPlacesOfWords, ", "));
}

std::vector<std::string> steps() {
  return {tables() + triggers() + fmt::format("PRAGMA application_id = {};\n", kApplicationId),
          views(), derived_tables()};
}

// The header names a version that this file does not have, or that nobody ever wrote.
[[noreturn]] void refuse_version(const Connection& connection, std::int64_t version) {
  throw Error(ErrorKind::kUsage,
              fmt::format("{}: the database is damaged (its header says schema {}, and it is not "
                          "that); move it away: committed records are imported into a new one",
                          connection.path(), version));
}

[[noreturn]] void refuse_without_search(const Connection& connection) {
  throw Error(ErrorKind::kUsage,
              fmt::format("{}: the SQLite library of this machine (version {}) was built without "
                          "full-text search (FTS5); install one that has it",
                          connection.path(), sqlite3_libversion()));
}

// Takes the step from `version` to the next.
void take_step(const Connection& connection, std::int64_t version) {
  try {
    connection.execute(steps()[static_cast<std::size_t>(version)]);
  } catch (const Error&) {
    if (std::string(sqlite3_errmsg(connection.handle())).find("fts5") != std::string::npos) {
      refuse_without_search(connection);
    }
    // What the step makes is there already.
    if (sqlite3_errcode(connection.handle()) == SQLITE_ERROR) refuse_version(connection, version);
    throw;
  }
}

// Afterwards 1 <= version <= schema_version().
void check_owner(const Connection& connection, std::int64_t version) {
  if (version > schema_version()) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("{}: written by a newer Assay (schema {}, this program knows {}); update "
                    "the program, or name another database with --db",
                    connection.path(), version, schema_version()));
  }
  const std::int64_t owner = connection.number("PRAGMA application_id");
  if (owner != kApplicationId) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: an SQLite database, but another program's; name another with --db",
                            connection.path()));
  }
  if (version < 1) refuse_version(connection, version);
}

}  // namespace

int schema_version() {
  return static_cast<int>(steps().size());
}

void create_schema(const Connection& connection) {
  Transaction transaction(connection);
  for (std::int64_t version = 0; version < schema_version(); ++version) {
    take_step(connection, version);
  }
  connection.execute(fmt::format("PRAGMA user_version = {}", schema_version()));
  trust_schema(connection);
  transaction.commit();
}

void migrate(const Connection& connection) {
  std::int64_t version = connection.number("PRAGMA user_version");
  check_owner(connection, version);
  while (version < schema_version()) {
    Transaction transaction(connection);
    version = connection.number("PRAGMA user_version");  // another process may have been here
    check_owner(connection, version);
    if (version < schema_version()) {
      const bool by_hand = changed_by_hand(connection);
      take_step(connection, version);
      ++version;
      connection.execute(fmt::format("PRAGMA user_version = {}", version));
      if (!by_hand) trust_schema(connection);
    }
    transaction.commit();
  }
}

void change_numbers(const Connection& connection, const std::vector<ExperimentLabel>& labels) {
  constexpr std::int64_t kApart = 1'000'000'000;  // above every number that a label may have
  Transaction transaction(connection);
  const bool by_hand = changed_by_hand(connection);
  connection.execute("DROP TRIGGER IF EXISTS label_no_update");
  for (const bool last : {false, true}) {
    for (const ExperimentLabel& label : labels) {
      Statement change(connection, "UPDATE label SET number = ? WHERE slug = ?");
      change.bind(1, label.number + (last ? 0 : kApart)).bind(2, label.slug).run();
    }
  }
  connection.execute(forbid_update("label"));
  // Every record may name one of these, so all files are made anew.
  connection.execute("DELETE FROM written");
  for (const ExperimentLabel& label : labels) {
    for (const char* table : {"stale", "unwritten"}) {
      Statement mark(connection, fmt::format("INSERT OR IGNORE INTO {}(slug) VALUES (?)", table));
      mark.bind(1, label.slug).run();
    }
    // Files of it say another number now, in whichever workspace they were read.
    Statement forget(connection, "DELETE FROM imported_file WHERE substr(path, -length(?1)) = ?1");
    forget.bind(1, fmt::format("-{}.json", label.slug)).run();
  }
  if (!by_hand) trust_schema(connection);
  transaction.commit();
}

void make_derived_again(const Connection& connection) {
  connection.execute(
      "DROP TRIGGER IF EXISTS label_marks; DROP TRIGGER IF EXISTS event_marks; "
      "DROP TRIGGER IF EXISTS seal_marks; DROP INDEX IF EXISTS run_going; "
      "DROP TABLE IF EXISTS stale; DROP TABLE IF EXISTS unwritten; DROP TABLE IF EXISTS catalog; "
      "DROP TABLE IF EXISTS catalog_name; DROP TABLE IF EXISTS written; "
      "DROP TABLE IF EXISTS writing");
  connection.execute(derived_tables());
}

void check_schema_owner(const Connection& connection) {
  check_owner(connection, connection.number("PRAGMA user_version"));
}

void check_schema(const Connection& connection) {
  const std::int64_t version = connection.number("PRAGMA user_version");
  check_owner(connection, version);
  if (version < schema_version()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: schema {} is older than this program's {}; open it once with a "
                            "command that writes to bring it up to date",
                            connection.path(), version, schema_version()));
  }
}

}  // namespace assay
