// assay-cuda-sweep: every CUDA variant of attention, matvec and matmul at real shapes, against
// fp64.
//
//   assay-cuda-sweep [--part abcd] [--only ID_PREFIX] [--quick] [--json FILE]
//
// Prints a line per variant and part and one at the end. Exit 0; 2 usage; 3 when something failed;
// 77 without a GPU.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/core/error.h"
#include "kernels/cuda_stage.h"
#include "kernels/cuda_sweep/sweep.h"

namespace assay::sweep {
namespace {

constexpr int kSkipped = 77;

struct Arguments {
  Options options;
  std::string json;
};

Arguments parse(int argc, char** argv) {
  Arguments parsed;
  const auto refuse = [](const std::string& what) {
    throw Error(ErrorKind::kUsage,
                what +
                    "; usage: assay-cuda-sweep [--part abcd] [--only ID_PREFIX] [--quick] "
                    "[--json FILE]");
  };
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (flag == "--quick") {
      parsed.options.quick = true;
      continue;
    }
    if (flag != "--part" && flag != "--only" && flag != "--json") refuse("unknown flag " + flag);
    if (++i == argc) refuse(flag + " wants a value");
    const std::string value = argv[i];
    if (flag == "--part") parsed.options.parts = value;
    if (flag == "--only") parsed.options.only = value;
    if (flag == "--json") parsed.json = value;
  }
  const std::string& parts = parsed.options.parts;
  if (parts.empty() || parts.find_first_not_of("abcd") != std::string::npos) {
    refuse("--part " + parts + ": parts are a, b, c and d");
  }
  return parsed;
}

std::string verdict(const Line& line) {
  if (!line.absent.empty()) return "absent";
  return line.failed() ? "FAILED" : "ok";
}

void print(const Line& line) {
  std::string text;
  const auto add = [&](const char* format, auto... values) {
    char buffer[512];
    std::snprintf(buffer, sizeof buffer, format, values...);
    text += buffer;
  };
  add("%-6s %-10s %-46s", verdict(line).c_str(), line.part.c_str(), line.variant.c_str());
  if (!line.absent.empty()) {
    text += " " + line.absent;
  } else {
    add(" cases %llu values %llu worst %.3f", static_cast<unsigned long long>(line.cases),
        static_cast<unsigned long long>(line.values), line.worst);
    if (!line.where.empty()) text += " at " + line.where;
    const auto count = [&](const char* what, std::uint64_t number) {
      if (number != 0) add("; %s %llu", what, static_cast<unsigned long long>(number));
    };
    count("beyond the budget", line.beyond);
    count("words that differ", line.different);
    count("words outside the output", line.damaged);
    count("launches not counted", line.uncounted);
    if (line.different == 0) text += "; bits equal";
    if (!line.error.empty()) text += "; " + line.error;
    add(" (%.1f s)", line.seconds);
  }
  std::printf("%s\n", text.c_str());
  std::fflush(stdout);
}

nlohmann::ordered_json to_json(const Line& line) {
  return {{"part", line.part},           {"variant", line.variant},     {"verdict", verdict(line)},
          {"absent", line.absent},       {"error", line.error},         {"cases", line.cases},
          {"values", line.values},       {"worst", line.worst},         {"where", line.where},
          {"beyond", line.beyond},       {"different", line.different}, {"damaged", line.damaged},
          {"uncounted", line.uncounted}, {"seconds", line.seconds}};
}

void write_json(const std::string& path, const std::vector<Line>& lines, double seconds) {
  nlohmann::ordered_json document{{"lines", nlohmann::json::array()}, {"seconds", seconds}};
  for (const Line& line : lines) document["lines"].push_back(to_json(line));
  std::ofstream file(path);
  file << document.dump(1) << "\n";
  if (!file.flush()) throw Error(ErrorKind::kUsage, path + ": cannot be written");
}

bool selects_any(const Options& options) {
  const std::pair<char, const char*> parts[] = {
      {'a', "attention_decode."}, {'b', "attention_prefill."}, {'c', "matvec_"}, {'d', "matmul_"}};
  return std::any_of(std::begin(parts), std::end(parts), [&](const auto& part) {
    return options.asks_for(part.first) && !chosen(options, part.second).empty();
  });
}

int run(const Arguments& arguments) {
  const Options& options = arguments.options;
  if (!selects_any(options)) {
    throw Error(ErrorKind::kUsage, "--only " + options.only + " --part " + options.parts +
                                       ": no CUDA variant that this GPU can run begins so");
  }
  const auto start = std::chrono::steady_clock::now();
  std::vector<Line> lines;
  const Report report = [&](const Line& line) {
    print(line);
    lines.push_back(line);
  };
  check_references(report);
  if (options.asks_for('a')) sweep_decode(options, report);
  if (options.asks_for('b')) sweep_prefill(options, report);
  if (options.asks_for('c')) sweep_matvec(options, report);
  if (options.asks_for('d')) sweep_matmul(options, report);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const auto failed = std::count_if(lines.begin(), lines.end(),
                                    [](const Line& line) { return verdict(line) == "FAILED"; });
  const auto absent = std::count_if(lines.begin(), lines.end(),
                                    [](const Line& line) { return verdict(line) == "absent"; });
  std::printf("sweep: %zu lines, %td failed, %td absent, %.1f s\n", lines.size(), failed, absent,
              seconds);
  if (!arguments.json.empty()) write_json(arguments.json, lines, seconds);
  return failed == 0 ? 0 : static_cast<int>(ErrorKind::kCheckFound);
}

}  // namespace
}  // namespace assay::sweep

int main(int argc, char** argv) {
  try {
    const assay::sweep::Arguments arguments = assay::sweep::parse(argc, argv);
    std::string why;
    if (assay::cuda_capability(&why) == 0) {
      std::printf("skipped: %s\n", why.c_str());
      return assay::sweep::kSkipped;
    }
    return assay::sweep::run(arguments);
  } catch (const assay::Error& error) {
    std::fprintf(stderr, "assay-cuda-sweep: %s\n", error.what());
    return error.exit_code();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "assay-cuda-sweep: %s\n", error.what());
    return 1;
  }
}
