#include "gates/cli/model_program.h"

#include <fmt/format.h>

#include <csignal>
#include <iostream>

#include "engine/core/error.h"
#include "gates/cli/child_process.h"
#include "gates/cli/program_path.h"

namespace assay {

namespace {

// `signal` ended `model WORK`.
[[noreturn]] void throw_death(const std::string& work, int signal) {
  const std::string what = fmt::format("model {}: ", work);
  switch (signal) {
    case SIGTERM:
    case SIGHUP:
    case SIGINT:
    case SIGKILL:
      throw Error(ErrorKind::kInconclusive,
                  fmt::format("{}stopped by signal {} before all was done", what, signal));
    case SIGBUS:
      throw Error(ErrorKind::kUsage,
                  what +
                      "the model file was changed or cut short while it was read (signal 7): leave "
                      "it alone, then repeat the command");
    default:
      throw Error(ErrorKind::kInternal,
                  fmt::format("{}assay-model died of signal {}: this is a fault of the program",
                              what, signal));
  }
}

}  // namespace

int run_model_program(const std::vector<std::string>& arguments) {
  const std::string program = program_beside("assay-model");
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::cout.flush();
  const int code = run_companion(words);
  if (code == 127) {
    throw Error(
        ErrorKind::kInternal,
        program +
            ": cannot be started; build it (`scripts/build.sh cpu assay-model`), it belongs "
            "beside assay");
  }
  if (code > 128) throw_death(arguments.front(), code - 128);
  return code;
}

}  // namespace assay
