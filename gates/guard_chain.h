// What the guards of the LANDs in service have lost or gained, from history: the chain that one
// more LAND would lengthen.
#pragma once

#include <string>
#include <vector>

#include "experiments/definition.h"
#include "experiments/record/history.h"
#include "gates/statistics/plan.h"

namespace assay {

// The name of a guard in the chain: "embedded decode depth=8 steps=8 threads=1 on cpu-avx2".
std::string chain_name(const std::string& workload, const std::string& device);

// The guards of one LAND, each as the last look that it passed has it. Nothing for another verdict.
std::vector<GuardEffect> guards_of(const std::string& slug, const std::string& device,
                                   const AttemptView& attempt);

// Of every LAND that was applied; one whose row another took over since counts, since that one was
// measured on top of it.
std::vector<GuardEffect> landed_guards(const History& history);

}  // namespace assay
