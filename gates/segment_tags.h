// Tags of a judged A/B: what its segments show beside the verdict, and never change of it.
#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "experiments/record/event.h"

namespace assay {

// {"carry_over": ..., "clock_mediated": ...} of the pairs of stage "ab" that were not dropped, each
// a SegmentEffect; the second has `by_cycles`, too, the A/B's effect by clock cycles (a fraction),
// and is left out unless every pair has a device's time and cycles for every segment. `samples` are
// those that the judgement pooled.
nlohmann::json segment_tags(std::span<const PairSample> samples);

}  // namespace assay
