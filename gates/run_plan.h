// Which gates a run goes through, in the one fixed order.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gates/gate.h"

namespace assay {

struct GateStep {
  std::string name;
  std::function<GateResult(const GateInput&, GateMemory&)> run;
};

// The gates between preflight and ab for these options: all, up to `until`, or parity alone for
// --premise.
std::vector<GateStep> gate_steps(const RunOptions& options);

// Processes of a launch pair, where the options leave it open: three on a GPU, two on a CPU.
int arms_of(const RunOptions& options, const HelloReply& device);

// Error(kUsage) for options that contradict each other or name no gate.
void check_options(const RunOptions& options);

}  // namespace assay
