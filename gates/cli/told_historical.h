// Historical entries and notes, for a command that answers from those that can be read.
#pragma once

#include <string>

#include "experiments/historical.h"
#include "gates/cli/tell.h"
#include "recorder/catalog_notes.h"

namespace assay {

// Says on standard error which files are none; the command then ends with kCheckFound.
inline HistoricalEntries told_historical(const std::string& workspace) {
  HistoricalEntries historical = read_historical(workspace);
  for (const std::string& fault : historical.faults) tell(fault);
  return historical;
}

// The same of notes; true where there is none to tell.
inline bool told_unreadable(const NotesFolder& notes) {
  for (const std::string& line : notes.unreadable) tell(line);
  return notes.unreadable.empty();
}

}  // namespace assay
