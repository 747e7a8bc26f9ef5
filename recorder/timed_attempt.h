// For tests: an attempt as a timed run leaves it, with round numbers.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "experiments/record/view.h"

namespace assay {

// A pair in which the baseline takes `effect` more than the candidate, whose segment is 100 ms.
inline PairSample sample_of(const std::string& stage, int ordinal, double effect,
                            const std::string& dropped = "") {
  PairSample sample;
  sample.stage = stage;
  sample.ordinal = ordinal;
  sample.labels = "ABBABAAB";
  sample.dropped = dropped;
  for (const char label : sample.labels) {
    sample.worker_ns.push_back(label == 'A' ? std::llround(1e8 * (1 + effect)) : 100'000'000);
  }
  return sample;
}

inline Look look_of(const std::string& stage, int pairs, double estimate, double half,
                    double p_boundary, const std::string& says) {
  return {stage,
          pairs,
          {{"estimate", estimate},
           {"low", estimate - half},
           {"high", estimate + half},
           {"lower", estimate - 0.8 * half},
           {"p_boundary", p_boundary},
           {"pair_sd", 0.008 * std::sqrt(pairs)},
           {"aa_error", stage == "confirmation" ? 0.01 : 0.004},
           {"says", says}}};
}

// Bar 5 %, at most 16 pairs, one guard, `runs` A/A effects of +-0.4 %. Eight pairs and one dropped
// one, a look above the bar, the guard, a confirmation of two pairs, LAND.
inline AttemptView timed_attempt(int runs = 2) {
  AttemptView attempt;
  attempt.opened.ordinal = 1;
  nlohmann::json planned = nlohmann::json::array(), dated = nlohmann::json::array();
  for (int i = 0; i < runs; ++i) {
    const std::string id = "aa-" + std::to_string(i);
    const std::vector<double> values{i % 2 == 0 ? 0.004 : -0.004};
    planned.push_back({{"id", id}, {"pair_values", values}});
    dated.push_back({{"id", id},
                     {"at", "2026-11-" + std::to_string(11 + i % 18) + "T08:00:00.000Z"},
                     {"pair_values", values}});
  }
  dated.push_back(
      {{"id", "of-the-guard"}, {"at", "2026-11-01T08:00:00.000Z"}, {"pair_values", {0.5}}});
  attempt.plan = {
      {"plan",
       {{"bar", 0.05},
        {"pairs_max", 16},
        {"aa", planned},
        {"guards", {{{"workload", {{"describe", "embedded decode depth=8 steps=8"}}}}}}}},
      {"aa", dated}};
  for (int i = 0; i < 9; ++i) {
    attempt.samples.push_back(i == 3
                                  ? sample_of("ab", i, 0.5, "another process kept 0.9 cores busy")
                                  : sample_of("ab", i, 0.1 + 0.01 * ((i * 3) % 5 - 2)));
  }
  for (int i = 0; i < 2; ++i) {
    attempt.samples.push_back(sample_of("confirmation", i, 0.09 + 0.01 * i));
  }
  attempt.looks = {look_of("ab", 8, 0.1, 0.02, 0.00041, "above the bar"),
                   look_of("guard:0", 8, -0.001, 0.01, 0.05, "passes"),
                   look_of("confirmation", 2, 0.095, 0.03, 0.05, "passes")};
  VerdictBody verdict;
  verdict.attempt = 1;
  verdict.verdict = "LAND";
  verdict.effect = {
      {"estimate", 0.1}, {"low", 0.08}, {"high", 0.12}, {"pairs", 8}, {"provisional", runs < 20}};
  attempt.verdict = verdict;
  attempt.verdict_at = "2026-11-29T20:00:00.000Z";
  return attempt;
}

}  // namespace assay
