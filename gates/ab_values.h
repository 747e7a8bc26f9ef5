// What the A/B's gate stores beside its judgement: medians per arm, where the run's time went; and
// whether the baseline of the pairs was the one that its own gate passed.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "experiments/definition.h"
#include "experiments/record/event.h"
#include "gates/launch_pair.h"
#include "gates/statistics/judge.h"

namespace assay {

// {estimate, low, high, pairs, pair_sd, confirmation} of a judgement: null before the first look.
nlohmann::json effect_json(const AbJudgement& judgement);

// {"baseline_ms", "candidate_ms", "baseline_rate", "candidate_rate", "rate_unit"} of stages "ab"
// and "confirmation", per request; null before the first pair. `repeats` requests make a segment.
nlohmann::json medians_json(std::span<const PairSample> samples, const Workload& primary,
                            int repeats);

// {"history_s", "launch_s", "warm_up_s", "filler_s", "measure_s"}.
nlohmann::json to_json_value(const TimeSpent& spent, double history_s);

// A candidate may look fast because the baseline of its pairs was slow: no gain is landed over a
// baseline that the baseline gate itself would not have passed. Empty when it is as anchored; else
// one line.
std::string slow_baseline(std::span<const PairSample> samples, int repeats, double anchor_ns);

}  // namespace assay
