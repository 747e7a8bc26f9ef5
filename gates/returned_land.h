// A LAND that was made in another workspace and comes home: the edit that `run` made there to the
// service map, to be made here.
//
// Problem: the map here may have changed since the other workspace began, so the text that the LAND
// made there cannot simply take the place of the one here. Method: only the LAND's own rows are
// set, and only where they are served by what was the baseline there; the verdict says that the
// candidate is faster than that, and nothing about any other variant. Everything else in the map
// stays.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gates/land_claim.h"

namespace assay {

// The LAND whose verdict, or whose last settlement, is among `runs`; nothing where there is none,
// or where the map was kept as it was. All throw Error(kUsage). This one also where the verdict
// does not follow from its samples, and where the LAND may not touch its rows (land_claim.h).
std::optional<LandClaim> returned_land(const ExperimentView& view,
                                       const std::vector<std::string>& runs);

// The map's text with the LAND's rows; the same text where it has them already, or has that of one
// of `known` which landed there later. `changes` gets a line for each row that changed. Refuses
// where another variant than the baseline's serves.
std::string with_returned_land(const std::string& text, const LandClaim& land,
                               const std::vector<LandClaim>& known,
                               std::vector<std::string>& changes);

}  // namespace assay
