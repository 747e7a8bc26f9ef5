#include "gates/statistics/simulation/scenario.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "engine/core/error.h"
#include "gates/statistics/simulation/amplitudes.h"

namespace assay::simulation {

const std::vector<Scenario>& scenarios() {
  static const std::vector<Scenario> list = {
      {.name = "normal"},
      {.name = "drift", .drift = kDrift},
      {.name = "ramp", .ramp = kRamp},
      {.name = "pair ramp", .pair_ramp = kRamp},
      {.name = "AR(1)", .ar_sd = kArSd},
      {.name = "slot", .slot = kSlot},
      {.name = "bimodal", .mode_gap = kModeGap},
      {.name = "t3", .heavy_tails = true},
      {.name = "spikes", .spike_share = kSpikeShare},
      {.name = "all",
       .drift = kDrift,
       .ramp = kRamp,
       .pair_ramp = kRamp,
       .ar_sd = kArSd,
       .slot = kSlot,
       .mode_gap = kModeGap,
       .spike_share = kSpikeShare,
       .heavy_tails = true},
  };
  return list;
}

const Scenario& scenario_named(std::string_view name) {
  std::string known;
  for (const Scenario& scenario : scenarios()) {
    if (scenario.name == name) return scenario;
    known += fmt::format("{}\"{}\"", known.empty() ? "" : ", ", scenario.name);
  }
  throw Error(ErrorKind::kUsage,
              fmt::format("there is no scenario \"{}\"; the suite has {}", name, known));
}

Scenario normal_noise(double pair_sd) {
  const double unscaled = std::sqrt(2 * kProcessSd * kProcessSd + kSegmentSd * kSegmentSd / 2);
  return {.name = "normal", .noise = pair_sd / unscaled};
}

}  // namespace assay::simulation
