// Where the noise of A/A runs comes from, out of their stored segments.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gates/statistics/variance_components.h"
#include "recorder/store.h"

namespace assay {

// Of the pairs of these calibrations, as far as the database has them: an effect that came from
// another machine, or from the twins of an experiment, has no run of its own here. Nothing below 3
// pairs.
std::optional<VarianceComponents> noise_components(const Store& store,
                                                   const std::vector<std::string>& runs);

// One line, its end included.
std::string noise_line(const VarianceComponents& components);

}  // namespace assay
