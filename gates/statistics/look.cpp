#include "gates/statistics/look.h"

#include <algorithm>
#include <cmath>

#include "gates/statistics/exact_tests.h"
#include "gates/statistics/pair_value.h"
#include "gates/statistics/student_t.h"

namespace assay {
namespace {

// What an exact test must reach: the look's p, or the least p that so few pairs can give.
double exact_boundary(const LookRow& row) {
  return std::max(row.p_boundary, std::exp2(-row.pairs));
}

}  // namespace

std::optional<StagePairs> first_pairs(const std::vector<LaunchPair>& pairs,
                                      const std::string& stage, int wanted) {
  StagePairs read;
  for (const LaunchPair& pair : pairs) {
    if (pair.stage != stage) continue;
    const double value = pair_value(pair.labels, pair.times);
    read.all.push_back(value);
    if (!pair.dropped) read.kept.push_back(value);
    read.environment = pair.environment;
    if (static_cast<int>(read.kept.size()) == wanted) return read;
  }
  return std::nullopt;
}

LookRow measure_row(const std::string& stage, const std::vector<double>& values,
                    const std::vector<AaRun>& history, double bar, double p_boundary) {
  const MeanEstimate mean = estimate_mean(values, history);
  const double over = std::log1p(bar);
  LookRow row;
  row.stage = stage;
  row.pairs = mean.pairs;
  row.p_boundary = p_boundary;
  row.mean = mean.mean;
  row.pair_sd = mean.pair_sd;
  row.error = mean.error;
  row.aa_error = mean.aa_error;
  row.aa_runs = mean.aa_runs;
  row.df = mean.df;
  row.estimate = effect_of(mean.mean);
  const double reach = t_upper_quantile(0.025, mean.df) * mean.error;
  row.low = effect_of(mean.mean - reach);
  row.high = effect_of(mean.mean + reach);
  row.lower = effect_of(mean.mean - t_upper_quantile(0.05, mean.df) * mean.error);
  row.t_bar = t_ratio(mean.mean - over, mean.error);
  row.t_zero = t_ratio(mean.mean, mean.error);
  row.p_land = t_upper_tail(row.t_bar, mean.df);
  row.p_no_gain = t_upper_tail(-row.t_bar, mean.df);
  row.p_slower = t_upper_tail(-row.t_zero, mean.df);
  std::vector<double> beyond(values);
  for (double& value : beyond) value -= over;
  row.p_sign_flip = sign_flip_p(beyond);
  row.p_signed_rank = signed_rank_p(beyond);
  return row;
}

std::string read_look(const LookRow& row) {
  if (row.p_slower <= row.p_boundary) return "slower";
  if (row.p_no_gain <= row.p_boundary) return "no-gain";
  if (row.p_land > row.p_boundary) return "continue";
  const double exact = exact_boundary(row);
  return row.p_sign_flip <= exact && row.p_signed_rank <= exact ? "above the bar" : "continue";
}

}  // namespace assay
