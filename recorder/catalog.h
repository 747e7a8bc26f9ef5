// The catalog: one row per experiment with what questions ask for, and a full-text index over all
// that was written of it. So a question reads the rows that it is about, not the history.
//
// Invariants. 1: it is derived, and no part of history: what it holds of an experiment is what
// catalog_entry() makes of the events and notes. 2: an answer is never older than the events that
// were committed when it was asked for: triggers put a slug into `stale` in the transaction of the
// event, and notes are compared by size and time. 3: asking never waits for a writer: where the
// database is being written, or cannot be, the stale experiments are described in a catalog of
// their own in memory, which answers beside the stored one.
//
// Rows that are no experiments of the store (history that was measured elsewhere) take part as
// `outside` entries: their words are searched and their names filtered like all others'.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "recorder/catalog_entry.h"
#include "recorder/catalog_notes.h"

namespace assay {

class Connection;

class Catalog {
 public:
  // Brings the catalog up to date with `store` and the notes of `workspace` ("": there are none),
  // of which `notes` says how they are now. Without it, notes that changed since they were last
  // read may be missed: for questions that do not ask for their words.
  Catalog(const Store& store, const std::string& workspace, const std::optional<NotesStamps>& notes,
          const std::vector<CatalogEntry>& outside = {});
  Catalog(const Catalog&) = delete;
  Catalog& operator=(const Catalog&) = delete;
  ~Catalog();

  // By number; outside entries follow, by slug.
  std::vector<QueryRow> find(const QueryFilter& filter) const;
  HistoryNames names() const;
  // Every word that the text search knows.
  std::vector<std::string> vocabulary() const;

  // A line per experiment of which the stored catalog says something else than its history and
  // notes: only a hand in the database does that. What is stale is left out.
  static std::vector<std::string> faults(const Store& store, const std::string& workspace);
  // The next question makes all of it again.
  static void forget(const Store& store);

 private:
  struct Aside;  // the catalog in memory
  // temp.vocabulary(term, doc, cnt): a row per word of the index.
  static void add_vocabulary(const Connection& connection);
  static std::string damage_of_words(const Connection& connection);
  std::vector<const Connection*> all() const;
  const Connection& stored_;
  std::unique_ptr<Aside> aside_;
};

}  // namespace assay
