// assay model synth SHAPE-QUANT[@SEED] OUT.gguf: the bytes that `-m synth:SHAPE-QUANT` has in
// memory, as a file that other engines can load.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <thread>

#include "engine/synth/image.h"
#include "gates/cli/command.h"

namespace assay {
namespace {

struct Options {
  std::string name, out;
};

int act(const Options& options) {
  const SynthModel model = parse_synth_name(options.name);
  const int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const std::uint64_t bytes = write_synth_file(model, options.out, threads, [] {});
  std::cout << fmt::format("{}  {}, {:.1f} MiB\n", options.out, name_of(model),
                           static_cast<double>(bytes) / (1024.0 * 1024.0));
  return 0;
}

}  // namespace

Action define_model_synth(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("SHAPE-QUANT", options->name,
                 "such as qwen2.5-1.5b-q4_k_m; @SEED behind it gives other weights")
      ->required();
  app.add_option("OUT", options->out, "the file to write; it must not exist yet")->required();
  return [options](const CommonOptions&) { return act(*options); };
}

}  // namespace assay
