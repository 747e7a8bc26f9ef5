// assay bench: how fast a model is here, prefill and decode, with what is in service.
//
// For a quick look, not for a claim: one process, nothing interleaved, no interval. The
// milliseconds of a prefill are the time to the first token of a loaded model; load is the time
// before it. What a change is worth is for `run` to say.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "engine/core/error.h"
#include "engine/core/or_null.h"
#include "engine/core/printable.h"
#include "gates/cli/command.h"
#include "gates/cli/drawn_tokens.h"
#include "gates/cli/engine_session.h"
#include "gates/cli/number_check.h"
#include "recorder/query.h"

namespace assay {
namespace {

struct Options {
  EngineChoice engine;
  int prefill = 128, decode = 64, depth = 0, repeat = 5;
};

// The GPU counts energy in steps of some ten milliseconds: less than this is not worth dividing.
constexpr double kLeastEnergySpan_s = 5;

struct Speeds {
  std::string what;
  int tokens = 0;  // per repetition
  std::vector<double> tokens_per_s = {};
  std::uint64_t nonfinite = 0;             // values in one repetition that were not finite
  std::optional<double> j_per_token = {};  // of the whole GPU, over 5 s or more
  std::string why_no_energy = "no GPU";

  void add(std::int64_t ns) { tokens_per_s.push_back(tokens * 1e9 / static_cast<double>(ns)); }
  double median_ms() const { return 1e3 * tokens / median(); }  // of a repetition
  double median() const {
    std::vector<double> sorted = tokens_per_s;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t half = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }
  double least() const { return *std::min_element(tokens_per_s.begin(), tokens_per_s.end()); }
  double most() const { return *std::max_element(tokens_per_s.begin(), tokens_per_s.end()); }
};

// Energy between its making and finish(), if the span is long enough.
class EnergyMeter {
 public:
  explicit EnergyMeter(const GpuMonitor* gpu) : gpu_(gpu) { before_j_ = now_j(); }

  void finish(Speeds& speeds) const {
    if (gpu_ == nullptr) return;
    const double passed_s =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    const std::optional<double> after_j = now_j();
    if (!before_j_ || !after_j) {
      speeds.why_no_energy = "the GPU counts none";
    } else if (passed_s < kLeastEnergySpan_s) {
      speeds.why_no_energy = fmt::format("measured {:.1f} s, wants 5: raise --repeat", passed_s);
    } else {
      const double tokens = static_cast<double>(speeds.tokens) * speeds.tokens_per_s.size();
      speeds.j_per_token = (*after_j - *before_j_) / tokens;
    }
  }

 private:
  std::optional<double> now_j() const { return gpu_ == nullptr ? std::nullopt : gpu_->energy_j(); }

  const GpuMonitor* gpu_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::optional<double> before_j_;
};

// One unmeasured repetition first: pages and caches are cold in it.
Speeds measure(const WorkRequest& request, Speeds speeds, int repeat, EngineSession& engine) {
  value_or_throw(engine.worker.work(request));
  const EnergyMeter meter(engine.gpu.get());
  for (int i = 0; i < repeat; ++i) {
    const WorkReply reply = value_or_throw(engine.worker.work(request));
    if (reply.elapsed_ns <= 0) {
      throw Error(ErrorKind::kBaseline,
                  "the worker says that `work` took no time: its clock or its "
                  "reply is wrong; `assay doctor` says which worker runs");
    }
    speeds.add(reply.elapsed_ns);
    speeds.nonfinite = reply.nonfinite;
  }
  meter.finish(speeds);
  return speeds;
}

std::string energy_text(const Speeds& speeds) {
  return speeds.j_per_token ? fmt::format("{:.4f}", *speeds.j_per_token)
                            : "unavailable (" + speeds.why_no_energy + ")";
}

// Where the whole device's memory cannot be read: none.
nlohmann::json gpu_memory_used(const EngineSession& engine) {
  const auto used = engine.gpu ? engine.gpu->used_bytes() : std::nullopt;
  return or_null(used);
}

void print_table(const std::vector<Speeds>& all, const EngineSession& engine) {
  std::vector<std::vector<std::string>> cells = {
      {"work", "tok/s", "min", "max", "ms", "J/token", "runs"}};
  for (const Speeds& speeds : all) {
    cells.push_back({speeds.what, fmt::format("{:.1f}", speeds.median()),
                     fmt::format("{:.1f}", speeds.least()), fmt::format("{:.1f}", speeds.most()),
                     fmt::format("{:.3f}", speeds.median_ms()), energy_text(speeds),
                     std::to_string(speeds.tokens_per_s.size())});
  }
  std::cout << fmt::format(
                   "{}, {} layers, {:.1f} MB of weights\n{} ({}), {} threads, service {} of {}\n\n",
                   printable(engine.model.name), engine.model.layers,
                   static_cast<double>(engine.model.weight_bytes) / 1e6, engine.device.device_name,
                   engine.device.device_key, engine.model.threads, engine.service_digest,
                   engine.service_file)
            << format_cells(cells, TableFormat::kTable)
            << fmt::format("\nload {:.2f} s", static_cast<double>(engine.load_ns) / 1e9);
  const nlohmann::json used = gpu_memory_used(engine);
  if (!used.is_null())
    std::cout << fmt::format(", GPU memory in use {} MiB", used.get<std::uint64_t>() >> 20);
  std::cout << std::endl;
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
                    {"median_ms", speeds.median_ms()},
                    {"j_per_token", or_null(speeds.j_per_token)},
                    {"tokens_per_s", speeds.tokens_per_s}});
  }
  return {{"model", engine.model.name},         {"model_sha256", engine.model.sha256},
          {"device", engine.device.device_key}, {"device_name", engine.device.device_name},
          {"threads", engine.model.threads},    {"service", engine.service_digest},
          {"nonfinite", nonfinite_in(all)},     {"rows", rows},
          {"load_ns", engine.load_ns},          {"gpu_used_bytes", gpu_memory_used(engine)}};
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
  const int depth = std::max(1, options.depth);  // a decode step follows at least one position
  const int needed = std::max(options.prefill, depth + options.decode);
  check_positions("bench", needed, options.engine);
  EngineSession engine = open_engine(options.engine, common);
  check_positions("bench", needed, options.engine, &engine.model);
  std::vector<Speeds> all;
  if (options.prefill > 0) {
    WorkRequest request;
    request.phase = "prefill";
    request.prompt = drawn_tokens(options.prefill, engine.model.vocab);
    all.push_back(measure(
        request, {.what = fmt::format("prefill {}", options.prefill), .tokens = options.prefill},
        options.repeat, engine));
  }
  if (options.decode > 0) {
    WorkRequest request;
    request.prompt = drawn_tokens(depth + options.decode, engine.model.vocab);
    request.forced.assign(request.prompt.begin() + depth, request.prompt.end());
    request.prompt.resize(static_cast<std::size_t>(depth));
    request.steps = options.decode;
    all.push_back(measure(
        request,
        {.what = fmt::format("decode {} at {}", options.decode, depth), .tokens = options.decode},
        options.repeat, engine));
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
      ->transform(whole_number(0, kMostPositions));
  app.add_option("--decode", options->decode, "steps (default 64; 0: none)")
      ->type_name("N")
      ->transform(whole_number(0, kMostPositions));
  app.add_option("--depth", options->depth, "positions before the first step (default: one)")
      ->type_name("N")
      ->transform(whole_number(0, kMostPositions));
  app.add_option("--repeat", options->repeat, "measured repetitions (default 5)")
      ->type_name("R")
      ->transform(whole_number(1, 10000));
  return [options](const CommonOptions& common) { return act(*options, common); };
}

}  // namespace assay
