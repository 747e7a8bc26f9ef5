#include "gates/statistics/spending.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numbers>

#include "engine/core/error.h"

namespace assay {
namespace {

constexpr double kReach = 9;        // standard deviations that count
constexpr double kStepsPerSd = 16;  // grid points per standard deviation of the next increment
constexpr double kLeastGap = 1e-3;  // of fractions
constexpr double kLeastSpending = 1e-12;  // of the first look

double upper_tail(double z) {
  return 0.5 * std::erfc(z / std::numbers::sqrt2);
}

double upper_quantile(double p) {
  return boost::math::quantile(boost::math::complement(boost::math::normal(), p));
}

// The sum of normal increments, variance 1 per unit of fraction, as far as it crossed nowhere.
class Walk {
 public:
  // Goes on to `fraction`. Until stop_above, the sum there is the kept density plus one increment.
  void advance(double fraction) {
    increment_sd_ = std::sqrt(fraction - fraction_);
    fraction_ = fraction;
  }

  // P(sum > bound here, and no crossing before).
  double tail(double bound) const {
    if (mass_.empty()) return upper_tail(bound / increment_sd_);
    double sum = 0;
    for (std::size_t i = 0; i < mass_.size(); ++i) {
      sum += mass_[i] * upper_tail((bound - at(i)) / increment_sd_);
    }
    return sum;
  }

  // Keeps what lies below `bound`, on a grid fine enough for an increment up to `next_fraction`.
  void stop_above(double bound, double next_fraction) {
    const double low = -kReach * std::sqrt(fraction_);
    const double scale = std::min(increment_sd_, std::sqrt(next_fraction - fraction_));
    const double wanted = std::ceil((bound - low) / scale * kStepsPerSd / 2);
    const std::size_t intervals = 2 * static_cast<std::size_t>(std::max(wanted, 8.0));
    const double step = (bound - low) / static_cast<double>(intervals);
    std::vector<double> mass(intervals + 1);  // density times the weight of Simpson's rule
    for (std::size_t i = 0; i <= intervals; ++i) {
      const double simpson = i == 0 || i == intervals ? 1 : (i % 2 == 1 ? 4 : 2);
      mass[i] = density(low + step * static_cast<double>(i)) * simpson * step / 3;
    }
    low_ = low;
    step_ = step;
    mass_ = std::move(mass);
  }

 private:
  double at(std::size_t i) const { return low_ + step_ * static_cast<double>(i); }

  double density(double x) const {
    const double scale = 1 / (increment_sd_ * std::sqrt(2 * std::numbers::pi));
    const auto bell = [&](double from) {
      const double z = (x - from) / increment_sd_;
      return std::exp(-z * z / 2) * scale;
    };
    if (mass_.empty()) return bell(0);
    const double reach = kReach * increment_sd_;  // points further away add nothing
    const double last = static_cast<double>(mass_.size() - 1);
    const double from = std::clamp(std::floor((x - reach - low_) / step_), 0.0, last);
    const double to = std::clamp(std::ceil((x + reach - low_) / step_), 0.0, last);
    double sum = 0;
    for (std::size_t i = static_cast<std::size_t>(from); i <= static_cast<std::size_t>(to); ++i) {
      sum += mass_[i] * bell(at(i));
    }
    return sum;
  }

  double fraction_ = 0;
  double increment_sd_ = 0;
  double low_ = 0;  // of the grid at the look before
  double step_ = 0;
  std::vector<double> mass_;  // empty before the first look
};

void check_fractions(std::span<const double> fractions) {
  double before = 0;
  for (const double fraction : fractions) {
    if (!(fraction - before >= kLeastGap) || fraction > 1) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("looks: fraction {} after {}; fractions rise by at least {} to at "
                              "most 1",
                              fraction, before, kLeastGap));
    }
    before = fraction;
  }
  if (fractions.empty()) throw Error(ErrorKind::kUsage, "looks: give at least one fraction");
}

// The bound whose tail is `target`; tails fall with the bound.
double bound_of(const Walk& walk, double fraction, double target) {
  double low = 0;
  double high = kReach * std::sqrt(fraction);
  while (high - low > 1e-12) {
    const double middle = (low + high) / 2;
    if (middle == low || middle == high) break;
    (walk.tail(middle) > target ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

std::vector<Boundary> boundaries(double alpha, std::span<const double> fractions) {
  if (!(alpha > 0 && alpha < 0.5)) {
    throw Error(ErrorKind::kUsage, fmt::format("looks: alpha {} must lie in (0, 0.5)", alpha));
  }
  check_fractions(fractions);
  const double root = upper_quantile(alpha / 2);
  Walk walk;
  std::vector<Boundary> result;
  double before = 0;
  for (std::size_t k = 0; k < fractions.size(); ++k) {
    Boundary boundary;
    boundary.fraction = fractions[k];
    boundary.spent = 2 * upper_tail(root / std::sqrt(fractions[k]));
    if (boundary.spent - before < kLeastSpending) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("looks: one at fraction {} may spend only {:.1e}; look later",
                              fractions[k], boundary.spent - before));
    }
    walk.advance(fractions[k]);
    const double bound = bound_of(walk, fractions[k], boundary.spent - before);
    boundary.z = bound / std::sqrt(fractions[k]);
    boundary.p = upper_tail(boundary.z);
    if (k + 1 < fractions.size()) walk.stop_above(bound, fractions[k + 1]);
    before = boundary.spent;
    result.push_back(boundary);
  }
  return result;
}

std::vector<double> alpha_spent(std::span<const double> fractions, std::span<const double> p) {
  check_fractions(fractions);
  if (p.size() != fractions.size()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("looks: {} p for {} fractions", p.size(), fractions.size()));
  }
  Walk walk;
  std::vector<double> spent;
  double before = 0;
  for (std::size_t k = 0; k < fractions.size(); ++k) {
    if (!(p[k] > 0 && p[k] <= 0.5)) {
      throw Error(ErrorKind::kUsage, fmt::format("looks: p {} must lie in (0, 0.5]", p[k]));
    }
    walk.advance(fractions[k]);
    const double bound = upper_quantile(p[k]) * std::sqrt(fractions[k]);
    spent.push_back(before += walk.tail(bound));
    if (k + 1 < fractions.size()) walk.stop_above(bound, fractions[k + 1]);
  }
  return spent;
}

}  // namespace assay
