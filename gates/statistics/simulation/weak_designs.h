// Designs of a comparison that are weaker than the interleaved pair, over the same machine and with
// the same looks and tests after them. They show that the scenarios bite, and what each rule is
// for.
#pragma once

#include <string_view>
#include <vector>

#include "gates/statistics/simulation/random.h"
#include "gates/statistics/simulation/scenario.h"

namespace assay::simulation {

struct WeakDesign {
  std::string_view name;
  // Scenarios in which it must be seen to fail; "" = in every one.
  std::vector<std::string_view> weak_in;
  // Whether a lever worth nothing would be landed at bar 0, with `values` pair values.
  bool (*lands)(const Scenario& scenario, int values, Random& random);
};

const std::vector<WeakDesign>& weak_designs();

}  // namespace assay::simulation
