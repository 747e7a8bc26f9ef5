// Tables, triggers and views of the history database, and the steps between their versions.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "experiments/record/history.h"
#include "recorder/sqlite_connection.h"

namespace assay {

// Columns of the table `writing`, full-text search: where words can stand. In the order in which a
// hit is shown.
constexpr std::array<const char*, 13> kPlacesOfWords{
    "names", "title", "lessons",    "veto",      "retry",      "corrections", "reasons",
    "gates", "notes", "hypothesis", "principle", "background", "retry_when"};

// The version this program writes.
int schema_version();
// Makes all of it in an empty database, in one transaction.
void create_schema(const Connection& connection);
// Brings a database up to `schema_version()`, one transaction per step. Error(kUsage) when it is
// newer than this program, belongs to another one, is nobody's, or is not the version that it says.
void migrate(const Connection& connection);
// Gives labels that are there other numbers, all at once (two may change places). No other code
// updates a label: its trigger is gone for this one transaction. A number that another label keeps
// is the database's own error. What is known of record files of theirs is forgotten.
void change_numbers(const Connection& connection, const std::vector<ExperimentLabel>& labels);
// Indexes, triggers and views, each as this program makes them: one that is missing or differs is
// made again, and told as a line. Error(kUsage) where that cannot be, and for a table that is
// missing or has other columns.
std::vector<std::string> mend_schema(const Connection& connection);
// Empties and makes anew all that is derived (step 3), inside the caller's transaction.
void make_derived_again(const Connection& connection);
// Error(kUsage) unless it is a database of this program, of this version or an older one.
void check_schema_owner(const Connection& connection);
// The same questions without changing anything, for a read-only opening.
void check_schema(const Connection& connection);

}  // namespace assay
