// A fault that is found after a definition was parsed, shown at its place all the same.
#pragma once

#include <string>
#include <vector>

#include "experiments/definition.h"

namespace assay {

// Keys from the top of the definition, and places in a list: {"workloads", "1", "tokens"}.
using DefinitionPath = std::vector<std::string>;

// Error(kUsage) with file, line, column and a caret at the value that `path` names, or at the
// nearest one above it that the text has (what is absent has no place of its own).
[[noreturn]] void refuse_at(const Definition& definition, const DefinitionPath& path,
                            const std::string& message);

}  // namespace assay
