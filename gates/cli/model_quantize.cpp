// assay model quantize IN OUT --type T: a model file in other element types.
#include <algorithm>
#include <memory>
#include <thread>

#include "gates/cli/command.h"
#include "gates/cli/model_program.h"
#include "gates/cli/number_check.h"
#include "gates/cli/text_check.h"

namespace assay {
namespace {

struct Options {
  std::string in, out, type;
  int threads = 0;  // 0: one per core
};

int act(const Options& options, const CommonOptions& common) {
  refuse_name_not_utf8("model quantize: IN", options.in);
  refuse_name_not_utf8("model quantize: OUT", options.out);
  const unsigned threads = options.threads > 0 ? static_cast<unsigned>(options.threads)
                                               : std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::string> words = {"quantize", "--type", options.type, "--threads",
                                    std::to_string(std::min(threads, 256u))};
  if (common.json) words.push_back("--json");
  words.insert(words.end(), {"--", options.in, options.out});
  return run_model_program(words);
}

}  // namespace

Action define_model_quantize(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option(
         "IN", options->in,
         "a GGUF file that this engine runs, of f32, f16 or bf16 (of any type where T is f16, "
         "bf16 or f32), or embedded")
      ->required();
  app.add_option("OUT", options->out, "the new file; must not exist")->required();
  app.add_option("--type", options->type,
                 "q4_k_m (q4_K, some matrices q6_K), q6_k, q8_0, f16, bf16 or f32")
      ->type_name("T")
      ->check(CLI::IsMember({"q4_k_m", "q6_k", "q8_0", "f16", "bf16", "f32"}))
      ->required();
  app.add_option("--threads", options->threads, "threads (default: one per core)")
      ->type_name("N")
      ->transform(whole_number(0, kMostThreads));
  return [options](const CommonOptions& common) { return act(*options, common); };
}

}  // namespace assay
