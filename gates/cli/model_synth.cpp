// assay model synth SHAPE-QUANT[@SEED] OUT.gguf: the bytes that `-m synth:SHAPE-QUANT` has in
// memory, as a file that other engines can load.
#include <memory>

#include "gates/cli/command.h"
#include "gates/cli/model_program.h"
#include "gates/cli/text_check.h"

namespace assay {
namespace {

struct Options {
  std::string name, out;
};

}  // namespace

Action define_model_synth(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("SHAPE-QUANT", options->name,
                 "such as qwen2.5-1.5b-q4_k_m; @SEED behind it gives other weights")
      ->required();
  app.add_option("OUT", options->out, "the file to write; it must not exist yet")->required();
  return [options](const CommonOptions& common) {
    refuse_name_not_utf8("model synth: OUT", options->out);
    std::vector<std::string> words = {"synth"};
    if (common.json) words.push_back("--json");
    words.insert(words.end(), {"--", options->name, options->out});
    return run_model_program(words);
  };
}

}  // namespace assay
