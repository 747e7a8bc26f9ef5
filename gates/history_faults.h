// All that the events of one experiment owe beside their seals: bodies of their form, verdicts that
// follow from their samples, LANDs that may touch what they touch. `check --verdicts` asks it of
// what is here, `import` of what comes in.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "experiments/record/event.h"
#include "experiments/record/view.h"

namespace assay {

// Lines that say what is wrong, by run and event or by attempt; none where nothing is.
std::vector<std::string> history_faults(std::span<const Event> events);
// The same, where `view` is what the events fold to.
std::vector<std::string> history_faults(std::span<const Event> events, const ExperimentView& view);

}  // namespace assay
