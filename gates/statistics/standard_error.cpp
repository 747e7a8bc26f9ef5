#include "gates/statistics/standard_error.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/core/error.h"

namespace assay {
namespace {

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

double aa_rms(std::span<const AaRun> history, int pairs) {
  double sum = 0;
  int runs = 0;
  for (const AaRun& run : history) {
    const std::size_t prefix = std::min(run.pair_values.size(), static_cast<std::size_t>(pairs));
    if (prefix == 0) continue;
    const double effect = mean_of(std::span(run.pair_values).first(prefix));
    sum += effect * effect;
    ++runs;
  }
  return runs == 0 ? 0.0 : std::sqrt(sum / runs);
}

MeanEstimate estimate_mean(std::span<const double> values, std::span<const AaRun> history) {
  if (values.size() < 2) {
    throw Error(ErrorKind::kInternal, "estimate_mean: a spread needs at least two pairs");
  }
  MeanEstimate estimate;
  estimate.pairs = static_cast<int>(values.size());
  estimate.mean = mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - estimate.mean) * (value - estimate.mean);
  estimate.pair_sd = std::sqrt(squares / (estimate.pairs - 1));
  estimate.own_error = estimate.pair_sd / std::sqrt(estimate.pairs);
  estimate.aa_error = aa_rms(history, estimate.pairs);
  estimate.aa_runs = static_cast<int>(std::count_if(
      history.begin(), history.end(), [](const AaRun& run) { return !run.pair_values.empty(); }));
  const bool by_history = estimate.aa_error > estimate.own_error;
  estimate.error = by_history ? estimate.aa_error : estimate.own_error;
  estimate.df = by_history ? estimate.aa_runs : estimate.pairs - 1;
  return estimate;
}

}  // namespace assay
