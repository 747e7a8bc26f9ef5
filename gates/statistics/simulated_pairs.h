// Launch pairs with a known truth, for the tests of the judgement. Its own generator (SplitMix64
// and Box-Muller), so that a seed means the same on every standard library.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/mix_stream.h"
#include "gates/statistics/judge.h"
#include "gates/statistics/pair_value.h"

namespace assay {

class PairSimulator {
 public:
  explicit PairSimulator(std::uint64_t seed) : stream_(seed) {}

  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - stream_.uniform()));
    return radius * std::cos(6.283185307179586 * stream_.uniform());
  }

  // A pair whose D is `mean_d` + pair_sd x normal.
  LaunchPair pair(const std::string& stage, double mean_d, double pair_sd) {
    return exact_pair(stage, mean_d + pair_sd * normal());
  }

  static LaunchPair exact_pair(const std::string& stage, double d) {
    const auto a = static_cast<std::int64_t>(1'000'000'000'000);
    const auto b = static_cast<std::int64_t>(std::llround(1e12 * std::exp(-d)));
    return {stage, "ABBABAAB", {a, b, b, a, b, a, a, b}, "host", false};
  }

  // Three arms: each process's mean is off by process_sd x normal; B is `mean_d` faster. D has
  // sd process_sd x sqrt(1.5).
  LaunchPair triple(const std::string& stage, double mean_d, double process_sd) {
    const double a = process_sd * normal();
    const double c = process_sd * normal();
    return exact_triple(stage, a, process_sd * normal() - mean_d, c);
  }

  static LaunchPair exact_triple(const std::string& stage, double a, double b, double c) {
    LaunchPair pair{stage, segment_orders(3).front(), {}, "host", false};
    for (const char label : pair.labels) {
      const double y = label == 'A' ? a : label == 'B' ? b : c;
      pair.times.push_back(std::llround(1e12 * std::exp(y)));
    }
    return pair;
  }

  // `runs` A/A runs of `pairs` pairs.
  std::vector<AaRun> history(int runs, int pairs, double pair_sd) {
    std::vector<AaRun> result(static_cast<std::size_t>(runs));
    for (AaRun& run : result) {
      for (int i = 0; i < pairs; ++i) run.pair_values.push_back(pair_sd * normal());
    }
    return result;
  }

 private:
  MixStream stream_;
};

}  // namespace assay
