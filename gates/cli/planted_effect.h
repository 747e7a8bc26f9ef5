// `assay calibrate --planted`: what the A/B says of an effect whose size is known.
#pragma once

#include "gates/cli/command.h"
#include "gates/cli/workspace.h"

namespace assay {

// `runs` runs of `options` (with `planted`), each said as it ends; with --json as a line of JSON
// with all its samples, so that a run that has ended is kept whatever becomes of the next.
int measure_planted(CalibrateOptions options, int runs, Workspace& workspace,
                    const CommonOptions& common);

}  // namespace assay
