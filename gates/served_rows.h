// The service maps against the history: every row that a LAND holds is served as it landed.
//
// Of several LANDs and settlements on one row the last one counts. A row that no LAND holds, or
// that `assay apply --discard` let go, is people's own.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/record/view.h"

namespace assay {

// Text of a map by its path, relative to the workspace; nothing where it is not there.
using MapText = std::function<std::optional<std::string>(const std::string& path)>;

// A line for each of `maps` that cannot be read, and for each landed row that is served otherwise,
// with what to do. LANDs that make no claim (land_claim.h) are left to those who ask for one.
std::vector<std::string> check_served_rows(std::span<const ExperimentView> views,
                                           std::span<const std::string> maps, const MapText& text);

// Of a LAND whose row another one took since: the other's slug; "" where it holds all its rows.
std::string successor(std::span<const ExperimentView> views, const ExperimentView& landed);

}  // namespace assay
