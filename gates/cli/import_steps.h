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
// Error(kUsage) for whatever cannot be joined with what is here; nothing is changed then.
// `opened` begins the import's own run.
TakenIn take_in(Store& store, const std::string& root, const ArchivedHistory& history,
                const std::string& archive_sha256, const RunOpened& opened);

struct PendingImport {
  std::string run;
  Imported body;
};
// The import whose second step was not done, or not to its end.
std::optional<PendingImport> pending_import(const Store& store);
void finish_import(const PendingImport& pending, Store& store, const std::string& root);

// `assay apply`: files that are neither what they were nor what they should become get the landed
// rows (a map) or stay as they are (others, and all with `discard`); then as finish_import.
void settle_import(const PendingImport& pending, Store& store, const std::string& root,
                   bool discard);

}  // namespace assay
