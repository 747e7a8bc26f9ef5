#include "gates/served_rows.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "engine/core/error.h"
#include "gates/land_claim.h"

namespace assay {
namespace {

// The last word on one row.
struct Holder {
  std::string at, slug;
  bool kept = false;  // the row was let go
  LandClaim::Row row;
  Scope scope;
};
// (map, name of the row) -> its holder.
using Holders = std::map<std::pair<std::string, std::string>, Holder>;

std::optional<LandClaim> claim_of(const ExperimentView& view) {
  if (!has_landed(view)) return std::nullopt;
  try {
    return land_claim(view);
  } catch (const Error&) {
    return std::nullopt;
  }
}

Holders holders(std::span<const ExperimentView> views) {
  Holders holders;
  for (const ExperimentView& view : views) {
    const std::optional<LandClaim> claim = claim_of(view);
    if (!claim) continue;
    const std::optional<Settlement> settled = last_settlement(view);
    for (const LandClaim::Row& row : claim->rows) {
      const Holder holder{settled ? settled->at : claim->at, view.slug, settled && settled->kept,
                          row, claim->scope};
      const auto [entry, fresh] = holders.try_emplace(
          {claim->path, row_name(row.device_key, claim->scope, row.op)}, holder);
      if (!fresh && entry->second.at < holder.at) entry->second = holder;
    }
  }
  return holders;
}

// What stands against a holder in its map; "" where nothing does.
std::string contradiction(const ServiceMap& map, const std::string& path, const std::string& name,
                          const Holder& holder) {
  const MapRow* here = find_row(map, holder.row.device_key, holder.scope, holder.row.op);
  if (here == nullptr) {
    return fmt::format(
        "{}: has no row for {}, where {} landed {}: write the row by hand, or record with `assay "
        "apply {} --discard` that the map stays as it is",
        path, name, holder.slug, holder.row.candidate, holder.slug);
  }
  if (is_as_landed(here, holder.row, holder.slug)) return "";
  return fmt::format(
      "{}: {} is served by {} (by {}), and {} landed {} there: `assay apply {}` puts the landed "
      "row "
      "back, `assay apply {} --discard` records that the map stays as it is",
      path, name, here->row.variant, here->by, holder.slug, holder.row.candidate, holder.slug,
      holder.slug);
}

}  // namespace

std::vector<std::string> check_served_rows(std::span<const ExperimentView> views,
                                           std::span<const std::string> maps, const MapText& text) {
  const Holders held = holders(views);
  std::vector<std::string> found;
  for (const std::string& path : maps) {
    try {
      const std::optional<std::string> map = text(path);
      const ServiceMap parsed = map ? parse_service_map(*map, path) : ServiceMap();
      for (const auto& [place, holder] : held) {
        if (place.first != path || holder.kept) continue;
        const std::string line = contradiction(parsed, path, place.second, holder);
        if (!line.empty()) found.push_back(line);
      }
    } catch (const Error& error) {
      found.emplace_back(error.what());
    }
  }
  return found;
}

std::string successor(std::span<const ExperimentView> views, const ExperimentView& landed) {
  const std::optional<LandClaim> claim = claim_of(landed);
  if (!claim) return "";
  for (const auto& [place, holder] : holders(views)) {
    if (holder.slug == landed.slug || holder.kept || place.first != claim->path) continue;
    for (const LandClaim::Row& row : claim->rows) {
      if (row_name(row.device_key, claim->scope, row.op) == place.second) return holder.slug;
    }
  }
  return "";
}

}  // namespace assay
