// The compound ops as their parts on the CPU, one after the other: what tests hold references and
// GPU variants against, where no CPU variant of a compound exists.
#pragma once

#include <string_view>

#include "kernels/launch.h"

namespace assay {

// A launch function for the compound's argument struct; null for every other op.
LaunchFunction cpu_parts_of(std::string_view op);

}  // namespace assay
