// The SQL function hit_place(writing): the column in which most of the terms of a full-text
// question stand, the first such one.
#pragma once

#include "recorder/sqlite_connection.h"

namespace assay {

// Once per connection; more often does no harm.
void add_hit_place(const Connection& connection);

}  // namespace assay
