// The catalog held against what it is made from, and made anew.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <utility>

#include "engine/core/error.h"
#include "recorder/catalog.h"
#include "recorder/catalog_notes.h"
#include "recorder/in_parallel.h"
#include "recorder/schema.h"
#include "recorder/search_words.h"
#include "recorder/store_state.h"

namespace assay {
namespace {

// What is stored under an id, as one text, in the order in which kept_text() has it.
std::string stored_text(const Connection& connection, std::int64_t id) {
  Statement row(connection, "SELECT state, verdict, date, facts FROM catalog WHERE id = ?",
                Statement::Kept());
  std::string text;
  if (row.bind(1, id).step()) {
    for (int column = 0; column < 4; ++column) text += row.text(column) + "\n";
  }
  Statement name(connection, "SELECT kind, name FROM catalog_name WHERE id = ? ORDER BY kind, name",
                 Statement::Kept());
  name.bind(1, id);
  while (name.step()) text += name.text(0) + " " + name.text(1) + "\n";
  Statement words(
      connection,
      fmt::format("SELECT {} FROM writing WHERE rowid = ?", fmt::join(kPlacesOfWords, ", ")),
      Statement::Kept());
  const bool there = words.bind(1, id).step();
  for (int column = 0; there && column < static_cast<int>(kPlacesOfWords.size()); ++column) {
    text += words.text(column) + "\n";
  }
  return text;
}

std::string kept_text(const CatalogEntry& entry) {
  const QueryRow& row = entry.row;
  std::string text =
      fmt::format("{}\n{}\n{}\n{}\n", row.state, row.verdict, row.date, facts_of(row));
  for (const auto& [kind, names] : entry.names) {
    for (const std::string& name : names) text += fmt::format("{} {}\n", kind, name);
  }
  for (const char* place : kPlacesOfWords) {
    const auto words = entry.words.find(place);
    text += (words == entry.words.end() ? "" : words->second) + "\n";
  }
  return text;
}

}  // namespace

// SQLite's own look at the index over words, which passes over the way in from a word to its
// place: so each word is asked for as well. "" where all is whole; where another process writes,
// the first look is left out.
std::string Catalog::damage_of_words(const Connection& connection) {
  try {
    Transaction transaction(connection, Transaction::IfFree());
    if (transaction.holds()) {
      connection.execute("INSERT INTO writing(writing) VALUES ('integrity-check')");
    }
    add_vocabulary(connection);
    Statement word(connection, "SELECT term, doc FROM temp.vocabulary");
    Statement asked(connection, "SELECT count(*) FROM writing WHERE writing MATCH ?");
    while (word.step()) {
      asked.bind(1, search_expression({{word.text(0)}})).step();
      const bool found = asked.number(0) == word.number(1);
      sqlite3_reset(asked.handle());
      if (!found) return "its index over words does not lead to all of them";
    }
    return "";
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kInternal) throw;
    return "its index over words is damaged";
  }
}

std::vector<std::string> Catalog::faults(const Store& store, const std::string& workspace) {
  const Connection& connection = store.state_->connection;
  const std::set<std::string> stale = stale_slugs(connection, all_notes(workspace));
  std::vector<std::pair<std::int64_t, std::string>> rows;  // id 0: a label without a row
  Statement row(
      connection,
      "SELECT id, slug FROM catalog UNION ALL SELECT 0, slug FROM label WHERE slug NOT IN "
      "(SELECT slug FROM catalog) ORDER BY slug");
  while (row.step()) rows.emplace_back(row.number(0), row.text(1));
  std::vector<std::string> found(rows.size());
  in_parallel(rows.size(), [&](std::size_t i) {
    const auto& [id, slug] = rows[i];
    const std::optional<ExperimentLabel> label = store.find(slug);
    const bool known = label && label->slug == slug;
    if (known && stale.contains(slug)) return;
    if (known && stored_text(connection, id) ==
                     kept_text(catalog_entry(store, *label, read_notes(workspace, slug)))) {
      return;
    }
    found[i] = fmt::format(
        "{}: catalog: of {} it says something else than the history, so questions are answered "
        "wrongly; `assay index --all` makes it again",
        connection.path(), slug);
  });
  std::erase(found, "");
  const std::int64_t strays = connection.number(
      "SELECT (SELECT count(*) FROM catalog_name WHERE id NOT IN (SELECT id FROM catalog)) + "
      "(SELECT count(*) FROM writing WHERE rowid NOT IN (SELECT id FROM catalog))");
  // A row that is gone leaves its names and words behind, and is told already.
  const std::string wrong =
      strays > 0 && found.empty() ? "it has rows of no experiment" : damage_of_words(connection);
  if (!wrong.empty()) {
    found.push_back(fmt::format("{}: catalog: {}; `assay index --all` makes it again",
                                connection.path(), wrong));
  }
  return found;
}

void Catalog::forget(const Store& store) {
  const Connection& connection = store.state_->connection;
  Transaction transaction(connection);
  // Its parts may be damaged; from the words it can be made whole, and then emptied.
  connection.execute("INSERT INTO writing(writing) VALUES ('rebuild')");
  for (const char* table : {"catalog", "catalog_name", "writing"}) {
    connection.execute(fmt::format("DELETE FROM {}", table));
  }
  connection.execute("INSERT OR IGNORE INTO stale(slug) SELECT slug FROM label");
  transaction.commit();
}

}  // namespace assay
