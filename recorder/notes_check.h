// What can be wrong in an author's notes: markers of a merge conflict, names that are no value, and
// typed numbers that are close to a value and differ (record_values.h has both rules).
#pragma once

#include <string>
#include <vector>

#include "recorder/store.h"

namespace assay {

// What keeps this text of an experiment's notes out of its record: conflict markers, unknown names.
std::vector<std::string> unfit_in(const Store& store, const ExperimentLabel& label,
                                  const std::string& path, const std::string& text);
// In the notes of every recorded experiment, as they are on disk.
std::vector<std::string> unfit_in_notes(const Store& store, const std::string& workspace);
// These and the numbers, for `check`; at most 20 lines of one file, then how many more there are.
std::vector<std::string> check_notes(const Store& store, const std::string& workspace);

}  // namespace assay
