// A database copied to a file, and put back.
//
// Invariants. 1: a backup appears whole or not at all, and never over another file. 2: a restore
// replaces the database in one step (rename), so that there is no moment without one; what it
// replaces is kept beside, whole. 3: no log of the replaced database stays under the restored one's
// name: SQLite would play it into pages that it was not written for.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "recorder/store.h"

namespace assay {

struct BackedUp {
  std::size_t experiments = 0, runs = 0, events = 0;
  std::size_t bytes = 0;  // of the file
};

// Copies all that is committed in `store` now, others may go on writing meanwhile; reads the copy
// back (its pages, not its seals) before it gets its name. Error(kUsage) when `file` is there
// or cannot be written.
BackedUp back_up(const Store& store, const std::string& file);

struct Restored {
  BackedUp content;
  std::string kept;               // where the replaced database is; "" when there was none
  std::string damage;             // why the replaced one was no use; "" when it was whole
  std::vector<std::string> lost;  // runs that only the replaced one has: "slug, run 3"; of no
                                  // experiment: "calibration, run 0", "`assay renumber`, run 1"
};

// Puts `file` in the place of the database at `path`; the caller holds the workspace's lock.
// `older`: also where the database is whole and has runs, or events of them, that `file` lacks.
// Error(kUsage) with nothing changed otherwise, and where `file` is no whole database of this
// program. At `path` may be what is left of a database: a damaged one, an empty file, or zeros.
Restored restore(const std::string& file, const std::string& path, bool older);

}  // namespace assay
