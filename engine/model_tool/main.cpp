// assay-model: reads and writes model files for `assay model`.
//
//   assay-model info FILE [--json]
//   assay-model quantize IN OUT --type T [--threads N] [--json]
//   assay-model synth SHAPE-QUANT[@SEED] OUT [--json]
//
// A program of its own, because `assay` may see neither GGUF nor kernels, and because the worker's
// protocol is what another engine has to speak: converting files is no part of running one. It says
// "assay" in its messages; that is the program that people call.
#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <new>

#include "engine/core/error.h"
#include "engine/core/printable.h"
#include "engine/model_tool/info.h"
#include "engine/model_tool/model_file.h"
#include "engine/model_tool/quantize.h"
#include "engine/model_tool/synth.h"

namespace assay {
namespace {

void run_info(const std::string& model, bool json) {
  const ModelInfo info = read_info(open_model_file(model));
  if (!json) {
    std::cout << to_text(info);
  } else {
    std::cout << to_json(info).dump(2, ' ', false, nlohmann::json::error_handler_t::replace)
              << '\n';
  }
}

volatile std::sig_atomic_t asked_to_stop = 0;

void ask_to_stop(int) {
  asked_to_stop = 1;
}

int run(int argc, char** argv) {
  CLI::App app{"Reads and writes model files; `assay model` runs it.", "assay-model"};
  app.require_subcommand(1);
  std::string model;
  bool json = false;
  CLI::App* info = app.add_subcommand("info", "what is in a model file");
  info->add_option("FILE", model)->required();
  info->add_flag("--json", json);
  QuantizeCommand command;
  CLI::App* quantize = app.add_subcommand("quantize", "a model file in other element types");
  quantize->add_option("IN", command.in)->required();
  quantize->add_option("OUT", command.out)->required();
  quantize->add_option("--type", command.type)->required();
  quantize->add_option("--threads", command.threads)->check(CLI::Range(1, 256));
  quantize->add_flag("--json", command.json);
  SynthCommand synth_command;
  CLI::App* synth = app.add_subcommand("synth", "a synthetic model as a file");
  synth->add_option("SHAPE-QUANT", synth_command.name)->required();
  synth->add_option("OUT", synth_command.out)->required();
  synth->add_flag("--json", synth_command.json);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(ErrorKind::kUsage);
  }
  try {
    if (info->parsed()) run_info(model, json);
    command.stop = synth_command.stop = [] { return asked_to_stop != 0; };
    if (quantize->parsed()) run_quantize(command);
    if (synth->parsed()) run_synth(synth_command);
    std::cout.flush();
    if (std::cout) return 0;
    throw Error(ErrorKind::kInternal, "standard output could not be written");
  } catch (const Error& error) {
    std::fprintf(stderr, "assay: %s\n", printable(error.what()).c_str());
    return error.exit_code();
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "assay: out of memory\n");
    return static_cast<int>(ErrorKind::kEnvironment);
  }
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on file size is an error to report, like a full disk
  // Asked to end it takes its half-written file along; what nohup has it ignore it ignores.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (std::signal(signal, assay::ask_to_stop) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
  return assay::run(argc, argv);
}
