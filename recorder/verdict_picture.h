// The picture of a timed attempt: its looks, its pairs in the order they ran, and the A/A history
// that its verdict used, all on one scale.
#pragma once

#include <string>
#include <vector>

#include "experiments/record/view.h"

namespace assay {

// Text of at most 92 columns; "" for an attempt that timed nothing. Up to 24 rows of pairs per
// stage, and as many of the history: longer ones have several values to a row.
std::string verdict_picture(const AttemptView& attempt);

// The last looks of each stage and the spread of the A/A history alone: a dozen lines.
std::string look_picture(const AttemptView& attempt);

// Of one A/A run in a history.
struct HistoryRow {
  std::string at;
  double low = 0, estimate = 0, high = 0;  // fractions: the interval by its own spread
  bool excludes_zero = false;
};
// A history in the order of time, an interval for each run (with a ! where it excludes zero), and
// +- `rms`.
std::string history_picture(const std::vector<HistoryRow>& rows, double rms);

}  // namespace assay
