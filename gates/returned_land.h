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

#include "experiments/definition.h"
#include "experiments/record/view.h"

namespace assay {

struct ReturnedLand {
  struct Row {
    std::string device_key, op, incumbent, candidate;
  };
  std::string slug;
  std::string at;    // of the verdict: LANDs are made again in this order
  std::string path;  // of the map, relative to the workspace
  Scope scope;
  std::vector<Row> rows;
};

// The LAND among `runs`; nothing where there is none, or where the map was kept as it was. All
// throw Error(kUsage). This one also where the verdict does not follow from its samples, and where
// this program does not know a variant of it.
std::optional<ReturnedLand> returned_land(const ExperimentView& view,
                                          const std::vector<std::string>& runs);

// The map's text with the LAND's rows; the same text where it has them already, or has that of one
// of `known` which landed there later. `changes` gets a line for each row that changed. Refuses
// where another variant than the baseline's serves.
std::string with_returned_land(const std::string& text, const ReturnedLand& land,
                               const std::vector<ReturnedLand>& known,
                               std::vector<std::string>& changes);

}  // namespace assay
