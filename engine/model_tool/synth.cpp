#include "engine/model_tool/synth.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <thread>

#include "engine/synth/image.h"

namespace assay {

void run_synth(const SynthCommand& command) {
  const SynthModel model = parse_synth_name(command.name);
  const int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const std::uint64_t bytes = write_synth_file(model, command.out, threads, command.stop);
  std::cout << fmt::format("{}  {}, {:.1f} MiB\n", command.out, name_of(model),
                           static_cast<double>(bytes) / (1024.0 * 1024.0));
}

}  // namespace assay
