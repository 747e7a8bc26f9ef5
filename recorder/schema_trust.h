// Whether a hand was in the database. SQLite counts the changes of a file's schema (PRAGMA
// schema_version). History cannot be edited without taking a trigger away, so a count that is not
// the one this program left says that it may have been, whether the trigger is back or not. A copy
// has a count of its own. Not seen: an edit that goes around SQLite; seals and `check` are for
// that.
//
// Whoever changes the schema for this program does so in a transaction that ends with
// trust_schema(), unless it had been changed_by_hand() before.
#pragma once

#include "recorder/sqlite_connection.h"

namespace assay {

bool changed_by_hand(const Connection& connection);
// A database that was last open in a program that did not look is taken for what it is now, where
// nobody else is writing.
void adopt_schema(const Connection& connection);
// From here on, what is there is what this program made.
void trust_schema(const Connection& connection);
// After its pages were copied: what is to be thought of `copy` is what was of `source`.
void copy_trust(const Connection& source, const Connection& copy);

}  // namespace assay
