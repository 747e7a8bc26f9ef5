#include "gates/returned_land.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/error.h"
#include "experiments/service_map.h"
#include "gates/runner.h"

namespace assay {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorKind::kUsage, what);
}

void refuse_unfounded(const ExperimentView& view) {
  const std::vector<std::string> faults = recheck_verdicts(view);
  if (faults.empty()) return;
  refuse(fmt::format("{}: its LAND does not follow from its samples ({}), so it changes no map",
                     view.slug, faults.front()));
}

// Whether the row here is what a later LAND made of it.
bool went_on(const MapRow& here, const LandClaim& land, const LandClaim::Row& row,
             const std::vector<LandClaim>& known) {
  for (const LandClaim& later : known) {
    const bool same_range = later.scope.when_key == land.scope.when_key &&
                            later.scope.when_low == land.scope.when_low &&
                            later.scope.when_high == land.scope.when_high;
    if (here.by != later.slug || later.at <= land.at || later.path != land.path || !same_range) {
      continue;
    }
    for (const LandClaim::Row& after : later.rows) {
      if (after.device_key == row.device_key && after.op == row.op &&
          after.candidate == here.row.variant) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

std::optional<LandClaim> returned_land(const ExperimentView& view,
                                       const std::vector<std::string>& runs) {
  if (!has_landed(view)) return std::nullopt;
  const auto came = [&](const std::string& run) {
    return std::find(runs.begin(), runs.end(), run) != runs.end();
  };
  const std::optional<Settlement> settled = last_settlement(view);
  if (settled && settled->kept) return std::nullopt;
  if (!came(view.judged()->verdict_run) && !(settled && came(settled->run))) return std::nullopt;
  refuse_unfounded(view);
  return land_claim(view);
}

std::string with_returned_land(const std::string& text, const LandClaim& land,
                               const std::vector<LandClaim>& known,
                               std::vector<std::string>& changes) {
  ServiceMap map = parse_service_map(text, land.path);
  bool changed = false;
  for (const LandClaim::Row& row : land.rows) {
    const std::string name = row_name(row.device_key, land.scope, row.op);
    const MapRow* here = find_row(map, row.device_key, land.scope, row.op);
    if (here == nullptr) {
      refuse(
          fmt::format("{}: {} landed {}, but here is no row for {}: write it by hand with {}, "
                      "then import again",
                      land.path, land.slug, row.candidate, name, row.incumbent));
    }
    if (is_as_landed(here, row, land.slug)) continue;
    if (went_on(*here, land, row, known)) continue;
    if (here->row.variant != row.incumbent) {
      refuse(fmt::format(
          "{}: {} landed {} in place of {}, but here {} is served by {} (by {}), against which it "
          "was not measured: put {} back into that row and import again, then let the two compete "
          "in an experiment of their own",
          land.path, land.slug, row.candidate, row.incumbent, name, here->row.variant, here->by,
          row.incumbent));
    }
    changes.push_back(fmt::format("{}: {} is served by {} now, by {}", land.path, name,
                                  row.candidate, land.slug));
    map = with_landed(map, row.device_key, land.scope, row.op, row.candidate, land.slug);
    changed = true;
  }
  if (!changed) return text;
  const std::string after = emit(map);
  parse_service_map(after, land.path);  // with variants that this program knows
  return after;
}

}  // namespace assay
