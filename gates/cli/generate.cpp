// assay generate: text from a model, through a worker with the variants in service.
//
// Greedy only. A `work` request runs from its prompt to its last step, so the words come in bursts
// that double in length: each burst decodes the earlier ones again (the same bits, since decoding
// is deterministic), which at most doubles the decode work and needs nothing of the protocol beyond
// what the gates use. Where nobody watches (no terminal, or --json) it is one request.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "engine/core/base64.h"
#include "engine/core/error.h"
#include "gates/cli/command.h"
#include "gates/cli/engine_session.h"
#include "gates/cli/number_check.h"
#include "gates/cli/utf8_stream.h"

namespace assay {
namespace {

using Tokens = std::vector<std::int32_t>;

struct Options {
  EngineChoice engine;
  std::string prompt;
  std::string token_list;
  Tokens tokens;  // of the list
  int count = 64;
  double temperature = 0;
  bool sampling_given = false;
  bool list_given = false;
};

void refuse_sampling(const Options& options) {
  if (options.temperature == 0 && !options.sampling_given) return;
  throw Error(ErrorKind::kUsage,
              "generate: this version picks the likeliest token at each step (--temp 0); "
              "sampling (--temp above 0, --top-k, --top-p, --seed) does not exist yet");
}

Tokens prompt_tokens(const Options& options, EngineSession& engine) {
  if (options.list_given) {
    for (std::size_t i = 0; i < options.tokens.size(); ++i) {
      if (options.tokens[i] < engine.model.vocab) continue;
      throw Error(
          ErrorKind::kUsage,
          fmt::format("generate: --tokens {}: entry {} is {}; tokens of this model are 0 "
                      "to {}",
                      options.token_list, i + 1, options.tokens[i], engine.model.vocab - 1));
    }
    return options.tokens;
  }
  if (!engine.model.has_vocabulary) {
    throw Error(ErrorKind::kUsage,
                options.engine.model +
                    ": this model has no vocabulary, so a prompt must be given as "
                    "numbers: --tokens 1,2,3");
  }
  Tokens tokens = value_or_throw(engine.worker.tokenize({.text = options.prompt})).tokens;
  if (tokens.empty()) {
    if (engine.model.bos < 0) {
      throw Error(ErrorKind::kUsage,
                  "the prompt is empty, and this model has no start token to begin from: give some "
                  "text with -p");
    }
    tokens.push_back(engine.model.bos);
  }
  return tokens;
}

// Shows tokens as they come: text, or numbers where the model has no vocabulary.
class Printer {
 public:
  Printer(EngineSession& engine, std::ostream& out) : engine_(engine), out_(out) {}

  void show(const Tokens& tokens) {
    if (tokens.empty()) return;
    if (!engine_.model.has_vocabulary) {
      for (const std::int32_t token : tokens) {
        text_ += (text_.empty() ? "" : " ") + std::to_string(token);
        out_ << token << ' ';
      }
    } else {
      const DetokenizeReply reply = value_or_throw(engine_.worker.detokenize({.tokens = tokens}));
      const std::optional<std::string> decoded = from_base64(reply.text_base64);
      if (!decoded) throw Error(ErrorKind::kBaseline, "the worker's detokenize is not base64");
      text_ += *decoded;
      out_ << stream_.push(*decoded);
    }
    out_.flush();
  }
  void finish() { out_ << stream_.finish() << std::endl; }
  const std::string& text() const { return text_; }

 private:
  EngineSession& engine_;
  std::ostream& out_;
  Utf8Stream stream_;
  std::string text_;
};

struct Generated {
  Tokens tokens;
  bool ended = false;  // by the model's own end token
  std::int64_t prefill_ns = 0, decode_ns = 0;
};

// Up to `count` tokens after the prompt. The first comes from the prompt's last row, each other one
// from a decode step.
Generated generate(const Tokens& prompt, int count, bool in_bursts, EngineSession& engine,
                   Printer& printer) {
  Generated all;
  int burst = in_bursts ? std::min(8, count) : count;
  while (true) {
    WorkRequest request;
    request.prompt = prompt;
    request.steps = burst - 1;
    const WorkReply reply = value_or_throw(engine.worker.work(request));
    if (reply.prefill_ns > 0) all.prefill_ns = reply.prefill_ns;
    all.decode_ns = reply.decode_ns;
    Tokens tokens = reply.top;
    const auto end = std::find(tokens.begin(), tokens.end(), engine.model.eos);
    all.ended = engine.model.eos >= 0 && end != tokens.end();
    if (all.ended) tokens.erase(end, tokens.end());
    if (tokens.size() < all.tokens.size() ||
        !std::equal(all.tokens.begin(), all.tokens.end(), tokens.begin())) {
      throw Error(ErrorKind::kBaseline,
                  "the worker gave other tokens for the same prompt: the engine is not "
                  "deterministic here; `assay doctor` says what runs");
    }
    printer.show(Tokens(tokens.begin() + static_cast<long>(all.tokens.size()), tokens.end()));
    all.tokens = std::move(tokens);
    if (all.ended || burst == count) return all;
    burst = std::min(2 * burst, count);
  }
}

int act(Options options, const CommonOptions& common) {
  refuse_sampling(options);
  if (options.list_given) {
    options.tokens = read_number_list("generate: --tokens", options.token_list);
  }
  if (!options.prompt.empty() && options.list_given) {
    throw Error(ErrorKind::kUsage, "generate: give the prompt as -p TEXT or as --tokens, not both");
  }
  EngineSession engine = open_engine(options.engine, common);
  const Tokens prompt = prompt_tokens(options, engine);
  const std::size_t needed = prompt.size() + static_cast<std::size_t>(options.count) - 1;
  if (needed > static_cast<std::size_t>(engine.model.context)) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("generate: {} tokens of prompt and --count {} need {} positions, and {} "
                    "is loaded with {}: ask for less",
                    prompt.size(), options.count, needed, options.engine.model,
                    engine.model.context));
  }
  std::ostream nowhere(nullptr);
  std::ostream& out = common.json ? nowhere : std::cout;
  if (options.tokens.empty()) out << options.prompt << std::flush;
  Printer printer(engine, out);
  const bool watched = !common.json && isatty(STDOUT_FILENO) == 1;
  const Generated made = generate(prompt, options.count, watched, engine, printer);
  printer.finish();
  const double steps = static_cast<double>(made.tokens.size()) - 1;
  const double speed =
      made.decode_ns > 0 && steps > 0 ? steps * 1e9 / static_cast<double>(made.decode_ns) : 0;
  if (common.json) {
    std::cout
        << nlohmann::json{{"model", engine.model.name},      {"model_sha256", engine.model.sha256},
                          {"prompt_tokens", prompt},         {"tokens", made.tokens},
                          {"text", printer.text()},          {"ended", made.ended},
                          {"prefill_ns", made.prefill_ns},   {"decode_ns", made.decode_ns},
                          {"threads", engine.model.threads}, {"device", engine.device.device_key},
                          {"service", engine.service_digest}}
               .dump(2, ' ', false, nlohmann::json::error_handler_t::replace)
        << std::endl;
  } else if (isatty(STDERR_FILENO) == 1) {
    std::cerr << fmt::format("[{} tokens{}, {:.0f} tok/s, {} threads, {}]\n", made.tokens.size(),
                             made.ended ? ", ended by itself" : "", speed, engine.model.threads,
                             engine.device.device_key);
  }
  return 0;
}

}  // namespace

Action define_generate(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("-m,--model", options->engine.model, "a GGUF file, embedded, or synth:SHAPE-QUANT")
      ->type_name("MODEL")
      ->required();
  app.add_option("-p,--prompt", options->prompt, "the text to go on from")->type_name("TEXT");
  app.add_option("-n,--count", options->count, "how many tokens at most (default 64)")
      ->type_name("N")
      ->check(whole_number(1, kMostPositions));
  const CLI::Option* list =
      app.add_option("--tokens", options->token_list, "the prompt as token numbers: 1,2,3")
          ->type_name("LIST");
  app.add_option("--threads", options->engine.threads, "threads (default: one per core)")
      ->type_name("N")
      ->check(whole_number(0, kMostThreads));
  app.add_option("--backend", options->engine.backend, "cpu")->type_name("B");
  app.add_option("--temp", options->temperature, "0: the likeliest token each time")
      ->type_name("T")
      ->check(number_from_zero(100));
  // Known, so that they get a reason instead of "no option".
  auto unused = std::make_shared<std::string>();
  const std::vector<CLI::Option*> sampling = {app.add_option("--top-k", *unused)->group(""),
                                              app.add_option("--top-p", *unused)->group(""),
                                              app.add_option("--seed", *unused)->group("")};
  return [options, unused, sampling, list](const CommonOptions& common) {
    for (const CLI::Option* option : sampling) options->sampling_given |= option->count() > 0;
    options->list_given = list->count() > 0;
    return act(*options, common);
  };
}

}  // namespace assay
