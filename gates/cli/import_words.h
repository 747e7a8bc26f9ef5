// What `import` and `merge` say: of what came in, and of what cannot.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "gates/cli/import_steps.h"
#include "gates/cli/workspace.h"

namespace assay {

// Error(kUsage): "FILE: what; nothing was changed", with further lines of `what` below it.
[[noreturn]] void refuse_import(const std::string& file, const std::string& what);

// Lines for people on standard output, or the document of --json.
void say_taken_in(const TakenIn& taken, bool json);

// Both steps of import_steps.h, with the messages of this file. `there` as merge_history has it.
TakenIn take_in_and_finish(Workspace& workspace, const ArchivedHistory& history,
                           const std::string& file, const std::string& sha256,
                           const RunOpened& opened, const std::string& there);

}  // namespace assay
