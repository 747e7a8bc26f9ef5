// assay model info FILE: what is in a model file, and whether this engine can run it.
#include <memory>

#include "gates/cli/command.h"
#include "gates/cli/model_program.h"
#include "gates/cli/text_check.h"

namespace assay {

Action define_model_info(CLI::App& app) {
  auto file = std::make_shared<std::string>();
  app.add_option("FILE", *file, "a GGUF file, or embedded")->required();
  return [file](const CommonOptions& common) {
    refuse_name_not_utf8("model info: FILE", *file);
    std::vector<std::string> words = {"info"};
    if (common.json) words.push_back("--json");
    words.insert(words.end(), {"--", *file});
    return run_model_program(words);
  };
}

}  // namespace assay
