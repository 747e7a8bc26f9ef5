// How uncertain a mean of pair values is.
//
// The spread within one run knows nothing of what differs between runs (a day, another build
// layout, another launch order). Earlier A/A runs, the same code on both arms, do: their effects
// should be zero, and their root mean square is what remains. The larger of the two is the standard
// error, with its own degrees of freedom. Adding A/A noise to the bar as well was rejected: it
// would count twice.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace assay {

// One A/A run: the same variant on both arms.
struct AaRun {
  std::string id;
  std::vector<double> pair_values;  // D of each pair, in order
};

struct MeanEstimate {
  int pairs = 0;
  double mean = 0;       // of D
  double pair_sd = 0;    // s, of D
  double own_error = 0;  // s / sqrt(n)
  double aa_error = 0;   // rms of the A/A effects at this many pairs; 0 without history
  int aa_runs = 0;       // K
  double error = 0;      // SE: the larger
  double df = 0;         // n - 1, or K
};

// Root mean square of the runs' mean D over their first `pairs` pairs (all, where a run is
// shorter).
double aa_rms(std::span<const AaRun> history, int pairs);

// At least two values. Error(kInternal) otherwise.
MeanEstimate estimate_mean(std::span<const double> values, std::span<const AaRun> history);

}  // namespace assay
