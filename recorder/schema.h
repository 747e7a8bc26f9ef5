// Tables, triggers and views of the history database, and the steps between their versions.
#pragma once

#include <vector>

#include "experiments/record/history.h"
#include "recorder/sqlite_connection.h"

namespace assay {

// The version this program writes.
int schema_version();
// Makes all of it in an empty database, in one transaction.
void create_schema(const Connection& connection);
// Brings a database up to `schema_version()`, one transaction per step. Error(kUsage) when it is
// newer than this program, belongs to another one, is nobody's, or is not the version that it says.
void migrate(const Connection& connection);
// Gives labels that are there other numbers, all at once (two may change places). No other code
// updates a label: its trigger is gone for this one transaction. A number that another label keeps
// is the database's own error.
void change_numbers(const Connection& connection, const std::vector<ExperimentLabel>& labels);
// The same questions without changing anything, for a read-only opening.
void check_schema(const Connection& connection);

}  // namespace assay
