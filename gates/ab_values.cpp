#include "gates/ab_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "gates/gate.h"

namespace assay {
namespace {

using Times = std::vector<std::int64_t>;

// Of the segments of one arm, ns; the baseline's are A and C.
Times arm_times(std::span<const PairSample> samples, bool candidate) {
  Times times;
  for (const PairSample& sample : samples) {
    if (sample.stage != "ab" && sample.stage != "confirmation") continue;
    for (std::size_t i = 0; i < sample.labels.size() && i < sample.worker_ns.size(); ++i) {
      if ((sample.labels[i] == 'B') == candidate) times.push_back(sample.worker_ns[i]);
    }
  }
  return times;
}

double median(Times times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return static_cast<double>(*middle);
}

}  // namespace

nlohmann::json effect_json(const AbJudgement& judgement) {
  nlohmann::json effect;
  for (const LookRow& row : judgement.looks) {
    if (row.stage == "ab") {
      effect = {{"estimate", row.estimate}, {"low", row.low},         {"high", row.high},
                {"pairs", row.pairs},       {"pair_sd", row.pair_sd}, {"aa_runs", row.aa_runs}};
    } else if (row.stage == "confirmation") {
      effect["confirmation"] = {{"estimate", row.estimate}, {"low", row.low},
                                {"high", row.high},         {"lower", row.lower},
                                {"pairs", row.pairs},       {"says", row.says}};
    } else {
      effect["guards"].push_back({{"stage", row.stage},
                                  {"estimate", row.estimate},
                                  {"low", row.low},
                                  {"high", row.high},
                                  {"says", row.says}});
    }
  }
  if (!effect.is_null()) effect["provisional"] = judgement.provisional;
  return effect;
}

nlohmann::json medians_json(std::span<const PairSample> samples, const Workload& primary,
                            int repeats) {
  const Times a = arm_times(samples, false);
  const Times b = arm_times(samples, true);
  if (a.empty() || b.empty()) return nullptr;
  const double tokens = primary.phase == "prefill" ? primary.tokens : primary.steps;
  const double ms_a = median(a) / 1e6 / repeats;
  const double ms_b = median(b) / 1e6 / repeats;
  return {{"baseline_ms", ms_a},
          {"candidate_ms", ms_b},
          {"baseline_rate", 1e3 * tokens / ms_a},
          {"candidate_rate", 1e3 * tokens / ms_b},
          {"rate_unit", "tok/s"}};
}

nlohmann::json to_json_value(const TimeSpent& spent, double history_s) {
  return {{"history_s", history_s},
          {"launch_s", spent.launch_s},
          {"warm_up_s", spent.warm_up_s},
          {"filler_s", spent.filler_s},
          {"measure_s", spent.measure_s}};
}

std::string slow_baseline(std::span<const PairSample> samples, int repeats, double anchor_ns) {
  const Times times = arm_times(samples, false);
  if (times.empty() || anchor_ns <= 0) return "";
  const double request_ns = median(times) / repeats;
  const double slower = request_ns / anchor_ns - 1;
  if (slower <= kAnchorTolerance) return "";
  return fmt::format(
      "the baseline took {:.3f} ms per request in these pairs, {:+.1f} % from its anchor of {:.3f} "
      "ms: a gain over a slowed baseline is none, and the pairs stay",
      request_ns / 1e6, 100 * slower, anchor_ns / 1e6);
}

}  // namespace assay
