// What a finished `run` leaves on the screen: the verdict, its effect, what that rests on, and
// where to read on.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "experiments/record/view.h"
#include "gates/runner.h"

namespace assay {

// Several lines. `record` is the record's path, relative to the workspace; empty when none was
// written.
std::string verdict_block(const ExperimentView& view, const RunOutcome& outcome, int number,
                          const std::string& record);
// The same for a program; docs/gates.md has the keys.
nlohmann::json verdict_json(const ExperimentView& view, const RunOutcome& outcome, int number,
                            const std::string& record);

}  // namespace assay
