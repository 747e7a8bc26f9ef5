// The clock's share is read from the device's own timer: cycles and that timer span the same work,
// so the host's share, which is in the worker's time, is in neither.
#include "gates/segment_tags.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "gates/gate_ab.h"
#include "gates/statistics/pair_value.h"
#include "gates/statistics/segment_effects.h"

namespace assay {
namespace {

// A positive whole number for each segment; nothing otherwise.
std::optional<std::vector<std::int64_t>> segment_readings(const PairSample& sample,
                                                          const char* name) {
  const nlohmann::json::json_pointer at(std::string("/segments/") + name);
  if (!sample.telemetry.is_object() || !sample.telemetry.contains(at)) return std::nullopt;
  const nlohmann::json& values = sample.telemetry.at(at);
  if (!values.is_array() || values.size() != sample.labels.size()) return std::nullopt;
  std::vector<std::int64_t> readings;
  for (const nlohmann::json& value : values) {
    if (!value.is_number_integer() || value.get<std::int64_t>() <= 0) return std::nullopt;
    readings.push_back(value.get<std::int64_t>());
  }
  return readings;
}

// Nothing unless every pair has both readings.
std::optional<std::vector<ClockedPair>> clocked(const std::vector<const PairSample*>& samples) {
  std::vector<ClockedPair> pairs;
  for (const PairSample* sample : samples) {
    auto times = segment_readings(*sample, "device_ns");
    auto cycles = segment_readings(*sample, "cycles");
    if (!times || !cycles) return std::nullopt;
    pairs.push_back({sample->labels, std::move(*times), std::move(*cycles)});
  }
  if (pairs.empty()) return std::nullopt;
  return pairs;
}

double effect_by_cycles(const std::vector<ClockedPair>& pairs) {
  const double sum =
      std::accumulate(pairs.begin(), pairs.end(), 0.0, [](double so_far, const ClockedPair& pair) {
        return so_far + pair_value(pair.labels, pair.cycles);
      });
  return effect_of(sum / static_cast<double>(pairs.size()));
}

}  // namespace

nlohmann::json segment_tags(std::span<const PairSample> samples) {
  std::vector<const PairSample*> kept;
  std::vector<LaunchPair> pairs;
  for (const PairSample& sample : samples) {
    if (sample.stage != "ab" || !sample.dropped.empty()) continue;
    kept.push_back(&sample);
    pairs.push_back(launch_pair_of(sample));
  }
  nlohmann::json tags = {{"carry_over", carry_over(pairs)}};
  if (const auto with_cycles = clocked(kept)) {
    tags["clock_mediated"] = clock_mediated(*with_cycles);
    tags["clock_mediated"]["by_cycles"] = effect_by_cycles(*with_cycles);
  }
  return tags;
}

}  // namespace assay
