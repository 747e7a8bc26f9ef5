// Tables, triggers and views of the history database, and the steps between their versions.
#pragma once

#include "recorder/sqlite_connection.h"

namespace assay {

// The version this program writes.
int schema_version();
// Makes all of it in an empty database, in one transaction.
void create_schema(const Connection& connection);
// Brings a database up to `schema_version()`, one transaction per step. Error(kUsage) when it is
// newer than this program, belongs to another one, is nobody's, or is not the version that it says.
void migrate(const Connection& connection);
// The same questions without changing anything, for a read-only opening.
void check_schema(const Connection& connection);

}  // namespace assay
