// What a run of three arms gives to the A/A history: its baseline against itself.
#pragma once

#include <optional>

#include "gates/statistics/judge.h"
#include "gates/subject.h"

namespace assay {

// D of three arms varies less than the A - A' of two processes. Stored effects are of two arms; for
// a plan they are brought to its own scale.
double aa_scale(int arms);
AaRun aa_run_of(const AaEffect& effect, int arms);

// Journals the contrasts A - A' of these pairs as an A/A run of its own, once per attempt; nothing
// where the plan has two arms or too few pairs.
void record_twins(const AbPlan& plan, const std::vector<LaunchPair>& pairs,
                  const std::string& attempt, const std::string& key, const RunOpened& opened,
                  const RunContext& context);

}  // namespace assay
