// A service map for tests: one variant for each op, the same at every length.
#pragma once

#include "engine/core/cpu.h"
#include "kernels/selection.h"

namespace assay {

// Per op the first registered variant of the highest level that is not above `level`.
ServiceSelection service_of_level(CpuLevel level);

}  // namespace assay
