#include "gates/run_plan.h"

#include <fmt/format.h>

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
