// assay generate: text from a model, through a worker with the variants in service.
//
// A `work` request runs from its prompt to its last step, so the words come in bursts that double
// in length: each burst decodes the earlier ones again (the same bits and the same draws, since
// both depend on nothing else), which at most doubles the decode work and needs nothing of the
// protocol beyond what the gates use. Where nobody watches (no terminal, or --json) it is one
// request.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "engine/core/base64.h"
#include "engine/core/error.h"
#include "gates/cli/command.h"
#include "gates/cli/engine_session.h"
#include "gates/cli/number_check.h"
#include "gates/cli/text_check.h"
#include "gates/cli/utf8_stream.h"

namespace assay {
namespace {

using Tokens = std::vector<std::int32_t>;

constexpr int kLargestInt = std::numeric_limits<int>::max();

struct Options {
  EngineChoice engine;
  std::string prompt;
  std::string token_list;
  Tokens tokens;  // of the list
  int count = 64;
  WorkRequest sampling;  // its temperature, top_k, top_p and seed
  bool list_given = false;
  bool special = false;
  std::string drawing_flag;  // one of --top-k, --top-p, --seed that was given
};

void refuse_drawing_without_temperature(const Options& options) {
  if (options.drawing_flag.empty() || options.sampling.temperature > 0) return;
  throw Error(ErrorKind::kUsage,
              fmt::format("generate: {} says nothing to --temp 0, which takes the likeliest token "
                          "each time: add --temp with a number above 0, or leave {} out",
                          options.drawing_flag, options.drawing_flag));
}

Tokens prompt_tokens(const Options& options, EngineSession& engine) {
  if (options.list_given) {
    for (std::size_t i = 0; i < options.tokens.size(); ++i) {
      if (options.tokens[i] < engine.model.vocab) continue;
      throw Error(
          ErrorKind::kUsage,
          fmt::format("generate: --tokens: entry {} is {}; tokens of this model are 0 to {}", i + 1,
                      options.tokens[i], engine.model.vocab - 1));
    }
    return options.tokens;
  }
  if (!engine.model.has_vocabulary) {
    throw Error(ErrorKind::kUsage,
                options.engine.model +
                    ": this model has no vocabulary, so a prompt must be given as "
                    "numbers: --tokens 1,2,3");
  }
  Tokens tokens =
      value_or_throw(engine.worker.tokenize(
                         {.text = options.prompt, .special = options.special, .enclose = true}))
          .tokens;
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
  std::uint64_t nonfinite = 0;  // values in all of it that were not finite
};

// Up to `count` tokens after the prompt. The first comes from the prompt's last row, each other one
// from a decode step.
Generated generate(const Tokens& prompt, const Options& options, bool in_bursts,
                   EngineSession& engine, Printer& printer) {
  const int count = options.count;
  Generated all;
  int burst = in_bursts ? std::min(8, count) : count;
  while (true) {
    WorkRequest request = options.sampling;
    request.prompt = prompt;
    request.steps = burst - 1;
    const WorkReply reply = value_or_throw(engine.worker.work(request));
    if (reply.prefill_ns > 0) all.prefill_ns = reply.prefill_ns;
    all.decode_ns = reply.decode_ns;
    all.nonfinite = reply.nonfinite;
    Tokens tokens = reply.picks;
    const Tokens& ends = engine.model.ends;
    const auto end = std::find_first_of(tokens.begin(), tokens.end(), ends.begin(), ends.end());
    all.ended = end != tokens.end();
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

// generate(), and the end of the text's line: an error, too, begins on a line of its own.
Generated shown_whole(const Tokens& prompt, const Options& options, bool in_bursts,
                      EngineSession& engine, Printer& printer) {
  try {
    Generated made = generate(prompt, options, in_bursts, engine, printer);
    printer.finish();
    return made;
  } catch (const Error&) {
    printer.finish();
    throw;
  }
}

nlohmann::json as_json(const Options& options, const EngineSession& engine, const Tokens& prompt,
                       const Generated& made, const std::string& text) {
  return {{"model", engine.model.name},
          {"model_sha256", engine.model.sha256},
          {"prompt_tokens", prompt},
          {"tokens", made.tokens},
          {"text", text},
          {"ended", made.ended},
          {"prefill_ns", made.prefill_ns},
          {"decode_ns", made.decode_ns},
          {"nonfinite", made.nonfinite},
          {"temperature", options.sampling.temperature},
          {"top_k", options.sampling.top_k},
          {"top_p", options.sampling.top_p},
          {"seed", options.sampling.seed},
          {"context", engine.model.context},
          {"threads", engine.model.threads},
          {"device", engine.device.device_key},
          {"service", engine.service_digest}};
}

int act(Options options, const CommonOptions& common) {
  refuse_drawing_without_temperature(options);
  if (options.list_given) {
    options.tokens = read_number_list("generate: --tokens", options.token_list);
  }
  if (!options.prompt.empty() && options.list_given) {
    throw Error(ErrorKind::kUsage, "generate: give the prompt as -p TEXT or as --tokens, not both");
  }
  if (options.special && options.list_given) {
    throw Error(ErrorKind::kUsage,
                "generate: --special says nothing to --tokens, whose numbers are tokens already: "
                "leave one of them out");
  }
  refuse_text_not_utf8("generate: --prompt", options.prompt);
  EngineSession engine = open_engine(options.engine, common);
  const Tokens prompt = prompt_tokens(options, engine);
  const std::size_t needed = prompt.size() + static_cast<std::size_t>(options.count) - 1;
  if (needed > static_cast<std::size_t>(engine.model.context)) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("generate: {} tokens of prompt and --count {} need {} positions, and {}",
                    prompt.size(), options.count, needed,
                    positions_of(options.engine, engine.model.context)));
  }
  std::ostream nowhere(nullptr);
  std::ostream& out = common.json ? nowhere : std::cout;
  if (options.tokens.empty()) out << options.prompt << std::flush;
  Printer printer(engine, out);
  const bool watched = !common.json && isatty(STDOUT_FILENO) == 1;
  const Generated made = shown_whole(prompt, options, watched, engine, printer);
  const double steps = static_cast<double>(made.tokens.size()) - 1;
  const double speed =
      made.decode_ns > 0 && steps > 0 ? steps * 1e9 / static_cast<double>(made.decode_ns) : 0;
  if (common.json) {
    std::cout << as_json(options, engine, prompt, made, printer.text())
                     .dump(2, ' ', false, nlohmann::json::error_handler_t::replace)
              << std::endl;
  } else if (isatty(STDERR_FILENO) == 1) {
    std::cerr << fmt::format("[{} tokens{}, {:.0f} tok/s, {} threads, {}]\n", made.tokens.size(),
                             made.ended ? ", ended by itself" : "", speed, engine.model.threads,
                             engine.device.device_key);
  }
  refuse_nonfinite(made.nonfinite);
  return 0;
}

}  // namespace

Action define_generate(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_engine_options(app, options->engine);
  app.add_option("-p,--prompt", options->prompt,
                 "the text to go on from, as it stands: no chat template is put around it")
      ->type_name("TEXT");
  app.add_flag("--special", options->special,
               "read control tokens in the text, such as <|im_end|>, as what they are");
  app.add_option("-n,--count", options->count, "how many tokens at most (default 64)")
      ->type_name("N")
      ->transform(whole_number(1, kMostPositions));
  const CLI::Option* list =
      app.add_option("--tokens", options->token_list, "the prompt as token numbers: 1,2,3")
          ->type_name("LIST");
  WorkRequest& sampling = options->sampling;
  app.add_option("--temp", sampling.temperature,
                 "0 (default): the likeliest token each time; above 0 a token is drawn, after "
                 "--top-k, then --top-p, then the division of logits by T")
      ->type_name("T")
      ->check(number_from_zero(100));
  const std::vector<CLI::Option*> drawing = {
      app.add_option("--top-k", sampling.top_k,
                     "draw among the K likeliest (default 0: all; of equal ones the lowest ids)")
          ->type_name("K")
          ->transform(whole_number(0, kLargestInt)),
      app.add_option("--top-p", sampling.top_p,
                     "draw among the fewest likeliest that have probability P together, at "
                     "temperature 1 (default 1: all)")
          ->type_name("P")
          ->check(positive_number(1)),
      app.add_option("--seed", sampling.seed,
                     "the same seed draws the same tokens on every machine (default 0)")
          ->type_name("S")
          ->transform(whole_number(0, kLargestInt))};
  return [options, drawing, list](const CommonOptions& common) {
    for (const CLI::Option* option : drawing) {
      if (option->count() > 0) options->drawing_flag = option->get_name();
    }
    options->list_given = list->count() > 0;
    return act(*options, common);
  };
}

}  // namespace assay
