// What `assay import` does, in two steps, so that database, records, index, map, notes and
// definitions change together or not at all.
//
//   take_in (one transaction: history, and a run that says what files will be)
//       --> finish_import (each file by rename, records, index; then that run is ended)
//
// Invariants: (1) a kill before the transaction's commit leaves nothing; (2) after it, the run is
// open, and the next command that holds the lock does the second step again (workspace.h); (3) a
// file is written only over the text that take_in read, or is what it shall be already: anything
// else is Error(kUsage), to be settled by `assay apply`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gates/cli/import_plan.h"
#include "recorder/archive_history.h"

namespace assay {

struct TakenIn {
  MergedHistory history;
  ImportPlan plan;
  bool anything = false;  // whether anything is new; nothing was written otherwise
};
// Error(kUsage) for whatever cannot be joined with what is here, for a history that `check
// --verdicts` would find fault with, and where the files could not be written; nothing is changed
// then.
// `opened` begins the import's own run; `there` as merge_history has it.
TakenIn take_in(Store& store, const std::string& root, const ArchivedHistory& history,
                const std::string& archive_sha256, const RunOpened& opened,
                const std::string& there = "");

struct PendingImport {
  std::string run;
  Imported body;
};
// The import whose second step was not done, or not to its end.
std::optional<PendingImport> pending_import(const Store& store);
void finish_import(const PendingImport& pending, Store& store, const std::string& root);

// `assay apply SLUG`: decides about the LAND of `slug`, if it came with the import: its rows are
// set whatever serves them, or (`discard`) left as they are, which a run of its own in the
// experiment's history says (`opened`). Every other LAND of the import is made where its row fits;
// one that does not waits for its own `apply`. A file that is no map, and was edited, stays as it
// is. When no LAND waits, the second step is done. Lines for people, about each.
std::vector<std::string> settle_import(const PendingImport& pending, Store& store,
                                       const std::string& root, const std::string& slug,
                                       bool discard, const RunOpened& opened);

}  // namespace assay
