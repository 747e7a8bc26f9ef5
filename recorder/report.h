// One experiment as Markdown for a pull request: what it asked, how it ended, before and after, how
// to measure it again. At most 60 lines, from stored data only.
#pragma once

#include <string>

#include "recorder/store.h"

namespace assay {

std::string render_report(const Store& store, const ExperimentLabel& label,
                          const std::string& workspace);

}  // namespace assay
