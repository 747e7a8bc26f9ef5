// How much of a plan's alpha each look may spend, and the boundary that spends just that.
//
// Looking several times and stopping at the first success would multiply the chance of a false one.
// Lan and DeMets ("Discrete sequential boundaries for clinical trials", Biometrika 70, 1983) fix
// beforehand how much has been spent by information fraction t; the function after O'Brien and
// Fleming, 2 (1 - Phi(z_{alpha/2} / sqrt(t))), spends almost nothing early, so that the last look
// is nearly as sharp as a single test. A boundary is the z at which the probability of crossing
// now, having crossed nowhere before, is the increment: found by numerical integration of the
// density of the sum of independent normal increments below the earlier boundaries (Armitage,
// McPherson and Rowe, 1969). Precision: about 1e-7 of what is spent.
#pragma once

#include <span>
#include <vector>

namespace assay {

struct Boundary {
  double fraction = 0;  // of the planned pairs
  double spent = 0;     // alpha up to this look, this look included
  double p = 0;         // one-sided: a look crosses when its tail is at most this
  double z = 0;         // the same as a normal deviate
};

// One boundary per fraction; `alpha` is one-sided and spent by fraction 1. Error(kUsage) unless
// 0 < alpha < 0.5, and fractions rise from above 0 to at most 1, by at least 0.001, and the first
// may spend 1e-12 or more.
std::vector<Boundary> boundaries(double alpha, std::span<const double> fractions);

// The other way round: probability of having crossed by each look, when look k crosses at the
// one-sided `p[k]` and the true effect is on the boundary of the null. Same conditions on
// `fractions`; as many p as fractions, each in (0, 0.5].
std::vector<double> alpha_spent(std::span<const double> fractions, std::span<const double> p);

}  // namespace assay
