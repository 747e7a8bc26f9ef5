#include "gates/cli/model_program.h"

#include <fmt/format.h>

#include <iostream>

#include "engine/core/error.h"
#include "gates/cli/child_process.h"
#include "gates/cli/program_path.h"

namespace assay {

int run_model_program(const std::vector<std::string>& arguments) {
  const std::string program = program_beside("assay-model");
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::cout.flush();
  const int code = run_child(words, true);
  if (code == 127) {
    throw Error(
        ErrorKind::kInternal,
        program +
            ": cannot be started; build it (`scripts/build.sh cpu assay-model`), it belongs "
            "beside assay");
  }
  if (code > 128) {
    throw Error(ErrorKind::kInternal,
                fmt::format("{} died of signal {} at `model {}`; was the file changed while it was "
                            "read?",
                            program, code - 128, arguments.front()));
  }
  return code;
}

}  // namespace assay
