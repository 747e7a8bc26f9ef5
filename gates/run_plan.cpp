#include "gates/run_plan.h"

#include <fmt/format.h>

#include "gates/judged_device.h"

namespace assay {

std::vector<GateStep> gate_steps(const RunOptions& options) {
  const GateStep parity{"parity",
                        [](const GateInput& input, GateMemory&) { return gate_parity(input); }};
  if (options.premise) return {parity};
  if (options.until == "preflight") return {};
  return {{"baseline", gate_baseline},
          {"identity", gate_identity},
          parity,
          {"margin",
           [](const GateInput& input, GateMemory& memory) { return gate_margin(input, memory); }}};
}

int arms_of(const RunOptions& options, const HelloReply& device) {
  if (options.arms != 0) return options.arms;
  return backend_of_key(device.device_key) == BackendKind::kCuda ? 3 : 2;
}

void check_options(const RunOptions& options) {
  if (options.premise && !options.until.empty()) {
    throw Error(ErrorKind::kUsage,
                "--premise and --until cannot be combined: --premise is parity alone");
  }
  if (options.pairs_max < 8 || options.pairs_max > 96 || options.pairs_max % 4 != 0) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("--pairs {}: the looks come at halves and quarters: give a multiple of 4 "
                    "from 8 to 96",
                    options.pairs_max));
  }
  if (options.arms != 0 && options.arms != 2 && options.arms != 3) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--arms {}: a pair has 2 processes, or 3 with the baseline twice",
                            options.arms));
  }
  if (options.until.empty()) return;
  for (const char* name : {"preflight", "baseline", "identity", "parity", "margin"}) {
    if (options.until == name) return;
  }
  throw Error(ErrorKind::kUsage,
              fmt::format("--until {}: no such gate before ab; the gates are preflight, baseline, "
                          "identity, parity, margin",
                          options.until));
}

}  // namespace assay
