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

// As run_child with its output kept, for a program that does this one's work: the signals TERM, HUP
// and INT go to it, and this one goes on waiting for how it ends; when this one is killed, it gets
// SIGTERM. `arguments[0]` is a path.
int run_companion(const std::vector<std::string>& arguments);

// The first line that a program prints, for asking its version; empty when it cannot be started.
std::string first_line_of(const std::vector<std::string>& arguments);

}  // namespace assay
