// Labels of no experiment: a row of the table that nothing was ever recorded of, and runs whose row
// is gone. A proposal writes its label and its first run in one transaction, so that either comes
// from an edit by hand.
#pragma once

#include <string>
#include <vector>

#include "recorder/store.h"

namespace assay {

// Lines "DATABASE: what is wrong; what to do"; none where labels and runs belong together.
std::vector<std::string> label_faults(const Store& store, const std::string& database);

// Error(kCheckFound) with these lines, for commands that make files of the whole history.
void refuse_ghost_labels(const Store& store, const std::string& database);

}  // namespace assay
