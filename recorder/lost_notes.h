// Notes whose file is gone while the rendered record still shows what they said.
#pragma once

#include <string>

#include "recorder/store.h"

namespace assay {

// Whether a rendered record has words of its author under Lessons, beside the lines that it has
// without any notes.
bool shows_notes(const std::string& document);
// The finding of an experiment's notes; "" where the file is there, or never was.
std::string lost_notes(const std::string& workspace, const ExperimentLabel& label);

}  // namespace assay
