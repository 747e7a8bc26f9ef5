#include "gates/statistics/look.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/core/error.h"
#include "gates/statistics/exact_tests.h"
#include "gates/statistics/student_t.h"

namespace assay {
namespace {

// Fills in the exact tests of two arms; true when both reach `boundary`.
bool both_signs_agree(std::span<const PairMeasure> pairs, double over, double boundary,
                      LookRow& row) {
  std::vector<double> beyond = values_of(pairs);
  for (double& value : beyond) value -= over;
  row.p_sign_flip = sign_flip_p(beyond);
  row.p_signed_rank = signed_rank_p(beyond);
  return *row.p_sign_flip <= boundary && *row.p_signed_rank <= boundary;
}

// At the bar B is `over` faster than the baseline by right; what is left must single it out.
bool relabelling_agrees(std::span<const PairMeasure> pairs, double over, double boundary,
                        LookRow& row) {
  std::vector<Relabelled> choices;
  choices.reserve(pairs.size());
  for (const PairMeasure& pair : pairs) {
    choices.push_back(relabelled(pair.mean_a, pair.mean_b + over, pair.mean_c));
  }
  row.p_relabelled = relabelling_p(choices);
  return *row.p_relabelled <= boundary;
}

bool second_opinion(std::span<const PairMeasure> pairs, double over, LookRow& row) {
  const int arms = pairs.front().arms;
  // What an exact test must reach: the look's p, or the least p that so few pairs can give.
  const double boundary = std::max(row.p_boundary, std::pow(arms, -row.pairs));
  return arms == 3 ? relabelling_agrees(pairs, over, boundary, row)
                   : both_signs_agree(pairs, over, boundary, row);
}

}  // namespace

std::optional<StagePairs> first_pairs(std::span<const LaunchPair> pairs, const std::string& stage,
                                      int arms, int wanted) {
  StagePairs read;
  for (const LaunchPair& pair : pairs) {
    if (pair.stage != stage) continue;
    const PairMeasure measure = measure_pair(pair.labels, pair.times);
    if (measure.arms != arms) {
      throw Error(ErrorKind::kCheckFound,
                  fmt::format("launch pair: {} arms of stage {} where the plan has {}",
                              measure.arms, stage, arms));
    }
    read.all.push_back(measure);
    if (!pair.dropped) read.kept.push_back(measure);
    if (static_cast<int>(read.kept.size()) == wanted) return read;
  }
  return std::nullopt;
}

std::vector<double> values_of(std::span<const PairMeasure> pairs) {
  std::vector<double> values;
  values.reserve(pairs.size());
  for (const PairMeasure& pair : pairs) values.push_back(pair.d);
  return values;
}

std::vector<double> contrasts_of(std::span<const PairMeasure> pairs) {
  std::vector<double> contrasts;
  contrasts.reserve(pairs.size());
  for (const PairMeasure& pair : pairs) contrasts.push_back(pair.contrast);
  return contrasts;
}

LookRow measure_row(const std::string& stage, const std::vector<double>& values,
                    std::span<const AaRun> history, double bar, double p_boundary) {
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
  return row;
}

LookRow take_look(std::span<const PairMeasure> pairs, std::span<const AaRun> history, double bar,
                  double p_boundary) {
  LookRow row = measure_row("ab", values_of(pairs), history, bar, p_boundary);
  row.says = "continue";
  if (row.p_slower <= row.p_boundary) {
    row.says = "slower";
  } else if (row.p_no_gain <= row.p_boundary) {
    row.says = "no-gain";
  } else if (row.p_land <= row.p_boundary && second_opinion(pairs, std::log1p(bar), row)) {
    row.says = "above the bar";
  }
  return row;
}

}  // namespace assay
