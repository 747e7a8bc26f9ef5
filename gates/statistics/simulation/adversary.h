// People who want a LAND: what they can do with the procedure, and what it gains them.
//
// Each plays one experiment of a lever that is worth exactly the bar, and says whether it reached
// the confirmation. Who breaks a rule of the procedure is here to show what the rule is worth.
#pragma once

#include <string_view>
#include <vector>

#include "gates/statistics/judge.h"
#include "gates/statistics/simulation/random.h"
#include "gates/statistics/simulation/scenario.h"

namespace assay::simulation {

enum class AdversaryKind {
  kWithin,   // keeps to the rules: the error must stay nominal
  kBreaker,  // breaks one: must be seen to gain
};

struct Adversary {
  std::string_view name;
  AdversaryKind kind;
  int attempts;  // attempts of the experiment that it uses
  bool (*lands)(const Scenario& scenario, const AbPlan& plan, Random& random);
};

const std::vector<Adversary>& adversaries();

}  // namespace assay::simulation
