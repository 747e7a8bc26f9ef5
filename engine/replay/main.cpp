// assay-cuda-replay: whether the engine is right and repeatable on this GPU.
//
//   assay-cuda-replay [--part abcdef] [--model FILE] [--threads N] [--fused] [--sampled]
//                     [--host] [--json FILE]
//
// Prints a line per check and one at the end. Exit 0; 1 when a check failed; 2 usage; 77 without a
// GPU. With --host only what needs none is run: the host's halves of d and f.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "engine/backend/cuda/cuda_device.h"
#include "engine/core/error.h"
#include "engine/replay/replay.h"
#include "engine/replay/texts.h"

namespace assay::replay {
namespace {

constexpr int kSkipped = 77;
constexpr const char* kUsage =
    "usage: assay-cuda-replay [--part abcdef] [--model FILE] [--threads N] [--fused] [--sampled] "
    "[--host] [--json FILE]";

struct Arguments {
  Options options;
  std::string json;
};

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorKind::kUsage, what + "; " + kUsage);
}

int read_threads(const std::string& text) {
  int threads = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), threads);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  if (!whole || threads < 1 || threads > 256) {
    refuse("--threads " + text + ": write a whole number from 1 to 256");
  }
  return threads;
}

void check_parts(const Options& options) {
  const std::string& parts = options.parts;
  if (parts.empty() || parts.find_first_not_of("abcdef") != std::string::npos) {
    refuse("--part " + parts + ": parts are a, b, c, d, e and f");
  }
  if (options.host && !options.asks_for('d') && !options.asks_for('f')) {
    refuse("--host --part " + parts + ": only d and f have a half that needs no GPU");
  }
}

Arguments parse(int argc, char** argv) {
  Arguments parsed;
  Options& options = parsed.options;
  options.threads = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, 256u));
  const std::pair<std::string, bool*> switches[] = {
      {"--fused", &options.fused}, {"--sampled", &options.sampled}, {"--host", &options.host}};
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    const auto found = std::find_if(std::begin(switches), std::end(switches),
                                    [&](const auto& one) { return one.first == flag; });
    if (found != std::end(switches)) {
      *found->second = true;
      continue;
    }
    if (flag != "--part" && flag != "--model" && flag != "--threads" && flag != "--json") {
      refuse("unknown flag " + flag);
    }
    if (++i == argc) refuse(flag + " wants a value");
    const std::string value = argv[i];
    if (flag == "--part") options.parts = value;
    if (flag == "--model") options.model = value;
    if (flag == "--threads") options.threads = read_threads(value);
    if (flag == "--json") parsed.json = value;
  }
  check_parts(options);
  // A file that cannot serve is known before the work.
  if (!options.model.empty()) text_tokens(GgufFile::open(options.model), 1);
  return parsed;
}

std::string verdict(const Line& line) {
  if (!line.outcome.judged) return "told";
  return line.failed() ? "FAILED" : "ok";
}

void print(const Line& line) {
  std::printf("%-6s %c %s: %s (%.1f s)\n", verdict(line).c_str(), line.part, line.check.c_str(),
              line.outcome.sentence.c_str(), line.seconds);
  std::fflush(stdout);
}

nlohmann::ordered_json to_json(const Line& line) {
  nlohmann::ordered_json figures = nlohmann::ordered_json::object();
  for (const auto& [name, value] : line.outcome.figures) figures[name] = value;
  return {{"part", std::string(1, line.part)}, {"check", line.check},
          {"verdict", verdict(line)},          {"seconds", line.seconds},
          {"sentence", line.outcome.sentence}, {"figures", figures}};
}

void write_json(const std::string& path, const std::string& gpu, const std::vector<Line>& lines,
                double seconds) {
  nlohmann::ordered_json document{
      {"gpu", gpu}, {"seconds", seconds}, {"lines", nlohmann::json::array()}};
  for (const Line& line : lines) document["lines"].push_back(to_json(line));
  std::ofstream file(path);
  file << document.dump(1) << "\n";
  if (!file.flush()) throw Error(ErrorKind::kUsage, path + ": cannot be written");
}

int run(const Arguments& arguments, const std::string& gpu) {
  const Options& options = arguments.options;
  const auto start = std::chrono::steady_clock::now();
  Report report(print);
  const bool gpu_parts = !options.host;
  if (gpu_parts && options.asks_for('a')) check_graphs(options, report);
  if (gpu_parts && options.asks_for('b')) check_repeats(options, report);
  if (gpu_parts && options.asks_for('c')) check_chunks(options, report);
  if (options.asks_for('d')) check_synth(options, report);
  if (gpu_parts && options.asks_for('e')) check_decode(options, report);
  if (options.asks_for('f')) check_prefill(options, report);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const auto failed = std::count_if(report.lines().begin(), report.lines().end(),
                                    [](const Line& line) { return line.failed(); });
  std::printf("replay on %s: %zu checks, %td failed, %.1f s\n", gpu.c_str(), report.lines().size(),
              failed, seconds);
  if (!arguments.json.empty()) write_json(arguments.json, gpu, report.lines(), seconds);
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace assay::replay

int main(int argc, char** argv) {
  try {
    const assay::replay::Arguments arguments = assay::replay::parse(argc, argv);
    if (arguments.options.host) return assay::replay::run(arguments, "no GPU");
    const assay::CudaDevice device = assay::cuda_device_here();
    if (device.capability == 0) {
      std::printf("skipped: %s\n", device.why.c_str());
      return assay::replay::kSkipped;
    }
    return assay::replay::run(arguments, device.name);
  } catch (const assay::Error& error) {
    std::fprintf(stderr, "assay-cuda-replay: %s\n", error.what());
    return error.exit_code();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "assay-cuda-replay: %s\n", error.what());
    return 1;
  }
}
