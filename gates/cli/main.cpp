// The program `assay`. Errors end here: one line on standard error, and the exit code of their
// kind.
#include <csignal>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "engine/core/error.h"
#include "gates/cli/command_line.h"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a worker that died is a recorded value, not our end
  try {
    return assay::run_command_line(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const assay::Error& error) {
    std::cout.flush();
    std::cerr << "assay: " << error.what() << std::endl;
    return error.exit_code();
  } catch (const std::exception& error) {
    std::cout.flush();
    std::cerr << "assay: internal error: " << error.what() << std::endl;
    return static_cast<int>(assay::ErrorKind::kInternal);
  }
}
