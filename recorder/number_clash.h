// Numbers and slugs that two histories give to different records, and the commands that settle it.
#pragma once

#include <string>
#include <vector>

#include "recorder/archive_history.h"

namespace assay {

// A line per clash, by number; none where the two can be joined. `there` is the other workspace as
// a word of a shell; "" for an archive, whose workspace is not at hand. The commands of all lines
// can be given one after another: their numbers differ.
std::vector<std::string> number_clashes(const std::vector<ExperimentLabel>& here,
                                        const ArchivedHistory& archived, const std::string& there);

}  // namespace assay
