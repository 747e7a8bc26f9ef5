// Exact tests that a mean lies above zero: the second opinion on a LAND.
//
// The t test trusts that pair values are roughly normal. These ask less. Two arms: a value is as
// likely to be +v as -v when there is no effect. Three arms: each of the three processes of a pair
// is as likely to be the candidate's; their D is not symmetric then (a single slow process gives
// -1 as B, but +1/2 as A or A'), which is why signs do not serve there. All are one-sided and
// conditional on what was measured; their least p are 2^-n and 3^-n. They cannot make a LAND, only
// withhold one.
//
// Up to 24 pairs by splitting them in two halves and counting pairs of half-sums; above, by dynamic
// programming over values rounded to 1/65536 of the range of the sum.
#pragma once

#include <array>
#include <span>
#include <vector>

namespace assay {

// Sign-flip test of the sum: the share of the 2^n sign choices whose sum reaches the observed one.
double sign_flip_p(std::span<const double> values);

// Wilcoxon's signed-rank test by its exact distribution. Zeros are left out, equal magnitudes share
// their mean rank.
double signed_rank_p(std::span<const double> values);

// What a pair of three arms says for each choice of B among its processes; [0] is the real one.
using Relabelled = std::array<double, 3>;
// From the mean ln times of A, B and A', B's already moved by what the null says.
Relabelled relabelled(double a, double b, double c);
// The share of the 3^n choices whose sum reaches the sum of the real ones.
double relabelling_p(std::span<const Relabelled> pairs);

}  // namespace assay
