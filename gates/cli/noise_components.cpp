#include "gates/cli/noise_components.h"

#include <fmt/format.h>

#include <algorithm>

#include "gates/cli/percent.h"
#include "gates/gate_ab.h"
#include "gates/statistics/pair_value.h"

namespace assay {
namespace {

constexpr std::size_t kLeastPairs = 3;

// A calibration's pair of two arms that the components can be read from.
bool whole(const PairSample& sample) {
  const std::vector<std::string>& orders = segment_orders(2);
  return sample.dropped.empty() &&
         std::find(orders.begin(), orders.end(), sample.labels) != orders.end() &&
         sample.worker_ns.size() == sample.labels.size() &&
         std::all_of(sample.worker_ns.begin(), sample.worker_ns.end(),
                     [](std::int64_t ns) { return ns > 0; });
}

}  // namespace

std::optional<VarianceComponents> noise_components(const Store& store,
                                                   const std::vector<std::string>& runs) {
  std::vector<LaunchPair> pairs;
  for (const std::string& run : runs) {
    for (const Event& event : store.run_events(run)) {
      if (event.kind != EventKind::kSample || !event.slug.empty()) continue;
      const auto sample = event.body.get<PairSample>();
      if (!whole(sample)) continue;
      pairs.push_back(launch_pair_of(sample));
    }
  }
  if (pairs.size() < kLeastPairs) return std::nullopt;
  return variance_components(pairs);
}

std::string noise_line(const VarianceComponents& components) {
  return fmt::format(
      "noise by source, of {} pairs: segment sd {}, slow sd {}, process sd {}; pair sd by the "
      "model "
      "{}\n",
      components.pairs, plain_percent(components.segment_sd), plain_percent(components.slow_sd),
      plain_percent(components.process_sd), plain_percent(components.pair_sd));
}

}  // namespace assay
