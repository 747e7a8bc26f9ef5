#include "engine/model_tool/quantize.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <vector>

#include "engine/core/error.h"
#include "engine/model/model.h"
#include "engine/model_tool/model_file.h"
#include "engine/quantize/quantize_file.h"

namespace assay {
namespace {

[[noreturn]] void refuse(const std::string& text) {
  throw Error(ErrorKind::kUsage, text);
}

Mixture mixture_named(const std::string& name) {
  if (const auto mixture = find_mixture(name)) return *mixture;
  std::vector<std::string_view> names;
  for (const Mixture& mixture : all_mixtures()) names.push_back(mixture.name);
  refuse(fmt::format("model quantize: --type {}: there is none such; give {}", name,
                     fmt::join(names, ", ")));
}

// What was done, gathered tensor by tensor.
struct Summary {
  // Rows' length, type by the mixture, type written -> tensors.
  std::map<std::tuple<std::uint64_t, DType, DType>, std::vector<std::string>> fallbacks;
  std::map<std::string, int> types;  // written

  void add(const GgufFile& file, const QuantizedTensor& tensor) {
    ++types[std::string(traits(tensor.to.dtype).name)];
    if (tensor.to.dtype == tensor.to.wanted) return;
    const std::uint64_t length = file.find_tensor(tensor.name)->ne[0];
    fallbacks[{length, tensor.to.wanted, tensor.to.dtype}].emplace_back(tensor.name);
  }
};

void say_fallbacks(const Summary& summary) {
  for (const auto& [key, names] : summary.fallbacks) {
    const auto& [length, wanted, written] = key;
    std::cerr << fmt::format(
        "note: {} tensors have rows of {}, no whole number of {}'s blocks of {}: written as {} "
        "({}{})\n",
        names.size(), length, traits(wanted).name, traits(wanted).block, traits(written).name,
        names.front(), names.size() > 1 ? " and others" : "");
  }
}

nlohmann::json as_json(const QuantizeCommand& command, const Summary& summary,
                       std::uint64_t bytes_before, std::uint64_t bytes) {
  nlohmann::json fallbacks = nlohmann::json::array();
  for (const auto& [key, names] : summary.fallbacks) {
    const auto& [length, wanted, written] = key;
    fallbacks.push_back({{"row_length", length},
                         {"wanted", traits(wanted).name},
                         {"written", traits(written).name},
                         {"tensors", names}});
  }
  return {{"in", command.in},         {"out", command.out}, {"type", command.type},
          {"bytes_in", bytes_before}, {"bytes_out", bytes}, {"tensors", summary.types},
          {"fallbacks", fallbacks}};
}

}  // namespace

void run_quantize(const QuantizeCommand& command) {
  const Mixture mixture = mixture_named(command.type);
  const GgufFile file = open_model_file(command.in);
  const Model model = read_model(file);  // what this engine cannot run, it does not quantise
  Summary summary;
  std::size_t done = 0;
  const bool watched = isatty(STDERR_FILENO) == 1;
  QuantizeOptions options{.mixture = mixture,
                          .layers = model.hyper.layers,
                          .threads = command.threads,
                          .done = {},
                          .stop = command.stop};
  options.done = [&](const QuantizedTensor& tensor) {
    summary.add(file, tensor);
    ++done;
    if (!watched) return;
    std::cerr << fmt::format("\r{}/{} tensors", done, file.tensors().size())
              << (done == file.tensors().size() ? "\r\x1b[K" : "") << std::flush;
  };
  const std::uint64_t bytes = quantize_file(file, command.out, options);
  say_fallbacks(summary);
  if (command.json) {
    std::cout << as_json(command, summary, file.size(), bytes).dump(2) << std::endl;
    return;
  }
  std::vector<std::string> counts;
  for (const auto& [type, count] : summary.types)
    counts.push_back(fmt::format("{} {}", count, type));
  std::cout << fmt::format("{}: {} bytes ({} before), tensors: {}\n", command.out, bytes,
                           file.size(), fmt::join(counts, ", "));
}

}  // namespace assay
