#include "gates/statistics/student_t.h"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace assay {
namespace {

constexpr double kBoundless = 1e300;

}  // namespace

double t_upper_tail(double t, double df) {
  if (std::abs(t) >= kBoundless) return t > 0 ? 0.0 : 1.0;
  return boost::math::cdf(boost::math::complement(boost::math::students_t(df), t));
}

double t_upper_quantile(double p, double df) {
  return boost::math::quantile(boost::math::complement(boost::math::students_t(df), p));
}

double t_ratio(double value, double error) {
  if (error > 0) return value / error;
  if (value == 0) return 0;
  return std::copysign(kBoundless, value);
}

}  // namespace assay
