// Student-t tails and quantiles (Boost.Math), and a t that is always a finite number, since it is
// stored as JSON: without any spread it is +-1e300, or 0 for 0 / 0, which decides nothing.
#pragma once

namespace assay {

// P(T >= t) with `df` degrees of freedom, df > 0.
double t_upper_tail(double t, double df);
// The t with P(T >= t) = p, 0 < p < 1.
double t_upper_quantile(double p, double df);
// value / error, as above where error is 0.
double t_ratio(double value, double error);

}  // namespace assay
