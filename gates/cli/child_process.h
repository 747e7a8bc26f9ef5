// Running another program in the foreground: a build tool, an editor.
#pragma once

#include <string>
#include <vector>

namespace assay {

// Runs `arguments` (the first is looked up in PATH) with this program's input and standard error;
// its standard output goes to standard error too unless `keep_output`, so that a command's own
// output stays clean. Returns the exit code, 128 + signal for a death by signal, 127 when it could
// not start.
int run_child(const std::vector<std::string>& arguments, bool keep_output = false);

// The first line that a program prints, for asking its version; empty when it cannot be started.
std::string first_line_of(const std::vector<std::string>& arguments);

}  // namespace assay
