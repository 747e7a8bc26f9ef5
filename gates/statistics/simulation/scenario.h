// What disturbs the machine while it measures: the named scenarios of the suite.
#pragma once

#include <string_view>
#include <vector>

namespace assay::simulation {

// Amplitudes; zero switches a disturbance off. See amplitudes.h for what each is.
struct Scenario {
  std::string_view name;
  double drift = 0;
  double ramp = 0;       // over the run
  double pair_ramp = 0;  // starts again in each pair
  double ar_sd = 0;
  double slot = 0;
  double mode_gap = 0;
  double spike_share = 0;
  bool heavy_tails = false;
  double noise = 1;  // factor on the spreads of segments and processes
};

const std::vector<Scenario>& scenarios();

// Error(kUsage) that lists the names when there is none such.
const Scenario& scenario_named(std::string_view name);

// Normal noise with a pair sd of `pair_sd`, a fraction.
Scenario normal_noise(double pair_sd);

}  // namespace assay::simulation
