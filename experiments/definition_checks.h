// What a definition that parses must not ask all the same, whatever the machine.
//
// Apart from the parser, which also reads definitions that were frozen earlier: history stays
// readable when a rule is added here.
#pragma once

#include "experiments/definition.h"

namespace assay {

// Error(kUsage) at the place: a workload that stands twice, a bar or a margin of 0 %, an expected
// gain that the bar rules out, an op that no timed work runs, more threads than a worker takes.
void check_definition(const Definition& definition);

// Positions of the cache that a workload needs.
int positions(const Workload& workload);

}  // namespace assay
