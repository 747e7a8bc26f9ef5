// assay bench: how fast a model is here, prefill and decode, with what is in service.
//
// For a quick look, not for a claim: one process, nothing interleaved, no interval. What a change
// is worth is for `run` to say.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "engine/core/error.h"
#include "engine/core/printable.h"
#include "gates/cli/command.h"
#include "gates/cli/engine_session.h"
#include "gates/cli/number_check.h"
#include "recorder/query.h"

namespace assay {
namespace {

struct Options {
  EngineChoice engine;
  int prefill = 128, decode = 64, depth = 0, repeat = 5;
};

struct Speeds {
  std::string what;
  int tokens = 0;  // per repetition
  std::vector<double> tokens_per_s;
  std::uint64_t nonfinite = 0;  // values in one repetition that were not finite

  void add(std::int64_t ns) { tokens_per_s.push_back(tokens * 1e9 / static_cast<double>(ns)); }
  double median() const {
    std::vector<double> sorted = tokens_per_s;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t half = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }
  double least() const { return *std::min_element(tokens_per_s.begin(), tokens_per_s.end()); }
  double most() const { return *std::max_element(tokens_per_s.begin(), tokens_per_s.end()); }
};

// Token numbers all over the vocabulary, the same on every machine.
std::vector<std::int32_t> drawn_tokens(int count, int vocab) {
  std::vector<std::int32_t> tokens;
  std::uint64_t state = 1;
  for (int i = 0; i < count; ++i) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    tokens.push_back(static_cast<std::int32_t>((state >> 33) % static_cast<std::uint64_t>(vocab)));
  }
  return tokens;
}

// One unmeasured repetition first: pages and caches are cold in it.
Speeds measure(const WorkRequest& request, Speeds speeds, int repeat, WorkerClient& worker) {
  for (int i = 0; i <= repeat; ++i) {
    const WorkReply reply = value_or_throw(worker.work(request));
    if (reply.elapsed_ns <= 0) {
      throw Error(ErrorKind::kBaseline,
                  "the worker says that `work` took no time: its clock or its "
                  "reply is wrong; `assay doctor` says which worker runs");
    }
    if (i > 0) speeds.add(reply.elapsed_ns);
    speeds.nonfinite = reply.nonfinite;
  }
  return speeds;
}

void print_table(const std::vector<Speeds>& all, const EngineSession& engine) {
  std::vector<std::vector<std::string>> cells = {{"work", "tok/s", "min", "max", "runs"}};
  for (const Speeds& speeds : all) {
    cells.push_back({speeds.what, fmt::format("{:.1f}", speeds.median()),
                     fmt::format("{:.1f}", speeds.least()), fmt::format("{:.1f}", speeds.most()),
                     std::to_string(speeds.tokens_per_s.size())});
  }
  std::cout << fmt::format(
                   "{}, {} layers, {:.1f} MB of weights\n{} ({}), {} threads, service {} of {}\n\n",
                   printable(engine.model.name), engine.model.layers,
                   static_cast<double>(engine.model.weight_bytes) / 1e6, engine.device.device_name,
                   engine.device.device_key, engine.model.threads, engine.service_digest,
                   engine.service_file)
            << format_cells(cells, TableFormat::kTable);
}

std::uint64_t nonfinite_in(const std::vector<Speeds>& all) {
  std::uint64_t sum = 0;
  for (const Speeds& speeds : all) sum += speeds.nonfinite;
  return sum;
}

nlohmann::json as_json(const std::vector<Speeds>& all, const EngineSession& engine) {
  nlohmann::json rows = nlohmann::json::array();
  for (const Speeds& speeds : all) {
    rows.push_back({{"work", speeds.what},
                    {"tokens", speeds.tokens},
                    {"median", speeds.median()},
                    {"min", speeds.least()},
                    {"max", speeds.most()},
                    {"tokens_per_s", speeds.tokens_per_s}});
  }
  return {{"model", engine.model.name},         {"model_sha256", engine.model.sha256},
          {"device", engine.device.device_key}, {"device_name", engine.device.device_name},
          {"threads", engine.model.threads},    {"service", engine.service_digest},
          {"nonfinite", nonfinite_in(all)},     {"rows", rows}};
}

int act(const Options& options, const CommonOptions& common) {
  if (options.prefill == 0 && options.decode == 0) {
    throw Error(ErrorKind::kUsage, "bench: --prefill 0 and --decode 0 leave nothing to measure");
  }
  if (options.decode == 0 && options.depth > 0) {
    throw Error(ErrorKind::kUsage,
                "bench: --depth says nothing to --decode 0, which measures no decode: leave one of "
                "them out");
  }
  EngineSession engine = open_engine(options.engine, common);
  const int depth = std::max(1, options.depth);  // a decode step follows at least one position
  const int needed = std::max(options.prefill, depth + options.decode);
  if (needed > engine.model.context) {
    throw Error(ErrorKind::kUsage, fmt::format("bench: this needs {} positions, and {}", needed,
                                               positions_of(options.engine, engine.model)));
  }
  std::vector<Speeds> all;
  if (options.prefill > 0) {
    WorkRequest request;
    request.phase = "prefill";
    request.prompt = drawn_tokens(options.prefill, engine.model.vocab);
    all.push_back(measure(request,
                          {fmt::format("prefill {}", options.prefill), options.prefill, {}, 0},
                          options.repeat, engine.worker));
  }
  if (options.decode > 0) {
    WorkRequest request;
    request.prompt = drawn_tokens(depth + options.decode, engine.model.vocab);
    request.forced.assign(request.prompt.begin() + depth, request.prompt.end());
    request.prompt.resize(static_cast<std::size_t>(depth));
    request.steps = options.decode;
    all.push_back(measure(
        request, {fmt::format("decode {} at {}", options.decode, depth), options.decode, {}, 0},
        options.repeat, engine.worker));
  }
  if (common.json) {
    std::cout << as_json(all, engine).dump(2) << std::endl;
  } else {
    print_table(all, engine);
  }
  refuse_nonfinite(nonfinite_in(all));
  return 0;
}

}  // namespace

Action define_bench(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_engine_options(app, options->engine);
  app.add_option("--prefill", options->prefill, "rows of the prompt (default 128; 0: none)")
      ->type_name("N")
      ->check(whole_number(0, kMostPositions));
  app.add_option("--decode", options->decode, "steps (default 64; 0: none)")
      ->type_name("N")
      ->check(whole_number(0, kMostPositions));
  app.add_option("--depth", options->depth, "positions before the first step (default: one)")
      ->type_name("N")
      ->check(whole_number(0, kMostPositions));
  app.add_option("--repeat", options->repeat, "measured repetitions (default 5)")
      ->type_name("R")
      ->check(whole_number(1, 10000));
  return [options](const CommonOptions& common) { return act(*options, common); };
}

}  // namespace assay
