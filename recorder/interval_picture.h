// Intervals drawn with characters, one row per look, against the bar.
#pragma once

#include <string>
#include <vector>

namespace assay {

struct IntervalRow {
  std::string name;
  double low = 0, estimate = 0, high = 0;  // fractions
};

//   ab, 6 pairs    |       [----*----]
//                  0       ^bar
// All rows share one scale, which holds zero and the bar. Empty without rows.
std::string interval_picture(const std::vector<IntervalRow>& rows, double bar);

}  // namespace assay
