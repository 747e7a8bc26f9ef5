// The program `assay`. Errors end here: one line on standard error, and the exit code of their
// kind.
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "engine/core/error.h"
#include "engine/core/printable.h"
#include "gates/cli/command_line.h"

namespace {

// A reader that left early (`| head -1`) is no error; an answer that could not be written is one.
int finish_output(int exit_code) {
  errno = 0;
  std::cout.flush();
  if (std::cout || errno == EPIPE) return exit_code;
  std::cerr << "assay: standard output could not be written"
            << (errno == 0 ? "" : std::string(": ") + std::strerror(errno))
            << "; the answer is incomplete, what was recorded is not" << std::endl;
  return exit_code == 0 ? static_cast<int>(assay::ErrorKind::kInternal) : exit_code;
}

// What a message quotes may come from a file.
int end_with(const std::string& message, assay::ErrorKind kind) {
  std::cout.flush();
  std::cerr << "assay: " << assay::printable(message, true) << std::endl;
  return static_cast<int>(kind);
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a worker that died is a recorded value, not our end
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on file size is an error to report, like a full disk
  using assay::ErrorKind;
  try {
    return finish_output(assay::run_command_line(std::vector<std::string>(argv + 1, argv + argc)));
  } catch (const assay::Error& error) {
    return end_with(error.what(), error.kind());
  } catch (const std::filesystem::filesystem_error& error) {
    return end_with(error.path1().string() + ": " + error.code().message(), ErrorKind::kUsage);
  } catch (const std::bad_alloc&) {
    return end_with("out of memory", ErrorKind::kEnvironment);
  } catch (const std::exception& error) {
    return end_with(std::string("internal error: ") + error.what(), ErrorKind::kInternal);
  }
}
