// Historical entries for a command that answers from those that can be read.
#pragma once

#include <iostream>
#include <string>

#include "experiments/historical.h"

namespace assay {

// Says on standard error which files are none; the command then ends with kCheckFound.
inline HistoricalEntries told_historical(const std::string& workspace) {
  HistoricalEntries historical = read_historical(workspace);
  for (const std::string& fault : historical.faults) std::cerr << "assay: " << fault << "\n";
  return historical;
}

}  // namespace assay
