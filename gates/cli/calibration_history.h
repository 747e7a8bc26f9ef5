// assay calibrate --show: the A/A history of a workload, out of the database alone.
#pragma once

#include <optional>
#include <string>

#include "experiments/definition.h"
#include "gates/cli/command.h"

namespace assay {

struct ShownHistory {
  std::string for_id;                // this experiment's primary workload
  std::optional<Workload> workload;  // or this one; neither: every history
};

// Prints one picture for each history (one device, build, model and workload), or JSON. Starts no
// worker, so that a GPU's history can be looked at anywhere.
int show_calibrations(const ShownHistory& shown, const CommonOptions& common);

}  // namespace assay
