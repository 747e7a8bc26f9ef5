// Two exact tests that a mean lies above zero: the second opinion on a LAND.
//
// The t test trusts that pair values are roughly normal; these ask only that a value is as likely
// to be +v as -v when there is no effect. Both are one-sided and conditional on the magnitudes, so
// their least p is 2^-n. They cannot make a LAND, only withhold one.
#pragma once

#include <span>

namespace assay {

// Sign-flip test of the sum: the share of the 2^n sign choices whose sum reaches the observed one.
// Up to 24 values by splitting them in two halves and counting pairs of half-sums (exact); above,
// by dynamic programming over magnitudes rounded to 1/65536 of their sum.
double sign_flip_p(std::span<const double> values);

// Wilcoxon's signed-rank test by its exact distribution. Zeros are left out, equal magnitudes share
// their mean rank.
double signed_rank_p(std::span<const double> values);

}  // namespace assay
