#include "engine/model_tool/synth.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>

#include "engine/synth/image.h"

namespace assay {

void run_synth(const SynthCommand& command) {
  const SynthModel model = parse_synth_name(command.name);
  const int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const std::uint64_t bytes = write_synth_file(model, command.out, threads, command.stop);
  if (command.json) {
    const nlohmann::json json = {{"model", name_of(model)}, {"out", command.out}, {"bytes", bytes}};
    std::cout << json.dump(2) << std::endl;
    return;
  }
  std::cout << fmt::format("{}  {}, {:.1f} MiB\n", command.out, name_of(model),
                           static_cast<double>(bytes) / (1024.0 * 1024.0));
}

}  // namespace assay
