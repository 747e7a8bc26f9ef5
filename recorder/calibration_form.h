// results/calibrations.json: the A/A effects that this history knows, of every machine that
// measured for it. A calibration belongs to no experiment, so no record has it, unless a verdict
// used it.
//
// Only the effects travel, not the runs that measured them: those are a chain per database, and two
// of them could not be merged. An effect says all that a verdict takes from it: what it is valid
// for, on which host, when, and each pair's value.
#pragma once

#include <string>

#include "recorder/store.h"

namespace assay {

inline constexpr const char* kCalibrationsPath = "results/calibrations.json";

// Canonical JSON: {format, version, effects}, oldest first.
std::string export_calibrations(const Store& store);
// How many effects came in; all or none. Error(kCheckFound) "LINE: what is wrong" for text that is
// not of that form, and where an effect that is known has other values there.
int import_calibrations(Store& store, const std::string& text);
// Writes the file, where there is an effect or a file; true when it changed.
bool write_calibrations(const Store& store, const std::string& workspace);

}  // namespace assay
