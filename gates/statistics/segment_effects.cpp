#include "gates/statistics/segment_effects.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <numeric>

#include "engine/core/error.h"
#include "gates/statistics/pair_value.h"
#include "gates/statistics/student_t.h"

namespace assay {
namespace {

using Column = std::vector<double>;

double dot(const Column& a, const Column& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// What is left of `column` beside `basis`, whose columns are orthogonal.
void remove_from(Column& column, const std::vector<Column>& basis) {
  for (const Column& other : basis) {
    const double share = dot(column, other) / dot(other, other);
    for (std::size_t i = 0; i < column.size(); ++i) column[i] -= share * other[i];
  }
}

// Weights of the segments' ln times in the least-squares effect of "the candidate ran before".
Column carry_over_weights(const std::string& labels) {
  const std::size_t slots = labels.size() - 1;  // the first has no predecessor
  const auto column = [&](auto value) {
    Column result(slots);
    for (std::size_t i = 0; i < slots; ++i) result[i] = value(i + 1);
    return result;
  };
  std::vector<Column> basis;
  const auto add = [&](Column nuisance) {
    remove_from(nuisance, basis);
    if (dot(nuisance, nuisance) > 1e-9) basis.push_back(std::move(nuisance));
  };
  for (const char process : {'A', 'B', 'C'}) {
    add(column([&](std::size_t i) { return labels[i] == process ? 1.0 : 0.0; }));
  }
  add(column([&](std::size_t i) { return labels[i] == labels[i - 1] ? 1.0 : 0.0; }));
  add(column([](std::size_t i) { return static_cast<double>(i); }));
  Column weights = column([&](std::size_t i) { return labels[i - 1] == 'B' ? 1.0 : 0.0; });
  remove_from(weights, basis);
  const double length = dot(weights, weights);
  for (double& weight : weights) weight /= length;
  return weights;
}

// Mean of the strata's means, each stratum with an offset of its own, against 0.
SegmentEffect stratified_mean(const std::map<std::string, std::vector<double>>& strata) {
  SegmentEffect effect;
  double squares = 0;
  double inverse_sizes = 0;
  for (const auto& [name, values] : strata) {
    const double n = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
    for (const double value : values) squares += (value - mean) * (value - mean);
    inverse_sizes += 1 / n;
    effect.effect += mean / static_cast<double>(strata.size());
    effect.pairs += static_cast<int>(values.size());
  }
  effect.df = effect.pairs - static_cast<double>(strata.size());
  if (effect.df < 1) return effect;
  effect.error =
      std::sqrt(squares / effect.df * inverse_sizes) / static_cast<double>(strata.size());
  effect.p = 2 * t_upper_tail(std::fabs(t_ratio(effect.effect, effect.error)), effect.df);
  return effect;
}

}  // namespace

SegmentEffect carry_over(std::span<const LaunchPair> pairs) {
  std::map<std::string, std::vector<double>> strata;
  int arms = 0;
  for (const LaunchPair& pair : pairs) {
    if (pair.dropped) continue;
    const int here = measure_pair(pair.labels, pair.times).arms;  // refuses what cannot be
    if (arms != 0 && here != arms) {
      throw Error(ErrorKind::kCheckFound,
                  fmt::format("carry-over: a pair of {} arms among pairs of "
                              "{}",
                              here, arms));
    }
    arms = here;
    const Column weights = carry_over_weights(pair.labels);
    double effect = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      effect += weights[i] * std::log(static_cast<double>(pair.times[i + 1]));
    }
    strata[arms == 2 ? pair.labels : "any order"].push_back(effect);
  }
  SegmentEffect effect = stratified_mean(strata);
  if (arms == 2 && strata.size() < 2) effect.p = 1;  // a position effect would look the same
  effect.tagged = effect.p < kSegmentAlpha;
  return effect;
}

SegmentEffect clock_mediated(std::span<const ClockedPair> pairs) {
  std::map<std::string, std::vector<double>> strata;
  for (const ClockedPair& pair : pairs) {
    strata["all"].push_back(pair_value(pair.labels, pair.times) -
                            pair_value(pair.labels, pair.cycles));
  }
  SegmentEffect effect = stratified_mean(strata);
  effect.tagged = effect.p < kSegmentAlpha && std::fabs(effect.effect) >= kLeastClockEffect;
  return effect;
}

}  // namespace assay
