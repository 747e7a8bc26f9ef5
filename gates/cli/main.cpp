// The program `assay`. Errors end here: one line on standard error, and the exit code of their
// kind.
#include <poll.h>
#include <unistd.h>

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

constexpr const char* kOutOfMemory =
    "assay: out of memory: close other programs, or raise the limit (ulimit -v), and repeat the "
    "command; what was recorded is whole\n";

// The write that failed may have been an earlier one, of which errno says nothing any more.
bool reader_left() {
  pollfd output{.fd = STDOUT_FILENO, .events = 0, .revents = 0};
  return ::poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

// A reader that left early (`| head -1`) is no error; an answer that could not be written is one.
int finish_output(int exit_code) {
  errno = 0;
  std::cout.flush();
  if (std::cout || errno == EPIPE || reader_left()) return exit_code;
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

// Where there is no memory to end in the ordinary way: a destructor may ask for some, and the
// language ends a program whose destructor throws.
[[noreturn]] void end_at_once() {
  const char* message = "assay: ended without a reason; this is a fault of the program\n";
  int code = static_cast<int>(assay::ErrorKind::kInternal);
  try {
    if (const std::exception_ptr current = std::current_exception()) {
      std::rethrow_exception(current);
    }
  } catch (const std::bad_alloc&) {
    message = kOutOfMemory;
    code = static_cast<int>(assay::ErrorKind::kEnvironment);
  } catch (...) {
  }
  (void)!::write(STDERR_FILENO, message, std::strlen(message));
  ::_exit(code);
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a worker that died is a recorded value, not our end
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on file size is an error to report, like a full disk
  std::set_terminate(end_at_once);
  using assay::ErrorKind;
  try {
    return finish_output(assay::run_command_line(std::vector<std::string>(argv + 1, argv + argc)));
  } catch (const assay::Error& error) {
    return end_with(error.what(), error.kind());
  } catch (const std::filesystem::filesystem_error& error) {
    return end_with(error.path1().string() + ": " + error.code().message(), ErrorKind::kUsage);
  } catch (const std::bad_alloc&) {
    std::cout.flush();
    end_at_once();
  } catch (const std::exception& error) {
    return end_with(std::string("internal error: ") + error.what(), ErrorKind::kInternal);
  }
}
