#include "gates/returned_land.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/error.h"
#include "experiments/service_map.h"
#include "gates/landing.h"
#include "gates/runner.h"

namespace assay {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorKind::kUsage, what);
}

// The variant that served when the attempt was opened: of the two whose code it names, the other.
std::string incumbent_of(const AttemptOpened& attempt, const std::string& op,
                         const std::string& candidate) {
  std::string incumbent;
  for (const auto& [id, code_hash] : attempt.code_hashes) {
    if (id == candidate || !id.starts_with(op) || id.substr(op.size(), 1) != ".") continue;
    if (!incumbent.empty()) return "";
    incumbent = id;
  }
  return incumbent;
}

void refuse_unfounded(const ExperimentView& view) {
  std::vector<std::string> faults;
  try {
    faults = recheck_verdicts(view);
  } catch (const nlohmann::json::exception&) {
    faults = {"its plan or a sample is of another form"};
  }
  if (faults.empty()) return;
  refuse(fmt::format("{}: its LAND does not follow from its samples ({}), so it changes no map",
                     view.slug, faults.front()));
}

std::vector<ReturnedLand::Row> rows_of(const ExperimentView& view, const AttemptView& attempt,
                                       const Scope& scope) {
  const ServiceMap landed =
      parse_service_map(attempt.verdict->intents.front().after_text, view.slug + ", as landed");
  std::vector<ReturnedLand::Row> rows;
  for (const auto& [op, candidate] : attempt.opened.candidate) {
    const std::size_t before = rows.size();
    for (const auto& [key, ops] : landed.devices) {
      const MapRow* row = find_row(landed, key, scope, op);
      if (row == nullptr || row->row.variant != candidate || row->by != view.slug) continue;
      rows.push_back({key, op, incumbent_of(attempt.opened, op, candidate), candidate});
    }
    if (rows.size() == before || rows.back().incumbent.empty()) {
      refuse(
          fmt::format("{}: its LAND does not say which row of {} it changed, or what served "
                      "before",
                      view.slug, op));
    }
  }
  return rows;
}

// Whether the row here is what a later LAND made of it.
bool went_on(const MapRow& here, const ReturnedLand& land, const ReturnedLand::Row& row,
             const std::vector<ReturnedLand>& known) {
  for (const ReturnedLand& later : known) {
    const bool same_range = later.scope.when_key == land.scope.when_key &&
                            later.scope.when_low == land.scope.when_low &&
                            later.scope.when_high == land.scope.when_high;
    if (here.by != later.slug || later.at <= land.at || later.path != land.path || !same_range) {
      continue;
    }
    for (const ReturnedLand::Row& after : later.rows) {
      if (after.device_key == row.device_key && after.op == row.op &&
          after.candidate == here.row.variant) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

std::optional<ReturnedLand> returned_land(const ExperimentView& view,
                                          const std::vector<std::string>& runs) {
  const AttemptView* attempt = view.judged();
  if (attempt == nullptr || attempt->verdict->verdict != "LAND" ||
      attempt->verdict->intents.empty() ||
      std::find(runs.begin(), runs.end(), attempt->verdict_run) == runs.end()) {
    return std::nullopt;
  }
  for (const RunView& run : view.runs) {
    if (run.run == attempt->verdict_run && run.ended && kept_the_file(*run.ended)) {
      return std::nullopt;
    }
  }
  refuse_unfounded(view);
  const Definition definition =
      parse_definition(view.proposal.definition, view.slug + ".yaml, as frozen");
  ReturnedLand land{
      view.slug, attempt->verdict_at, attempt->verdict->intents.front().path, definition.scope, {}};
  if (land.path != "experiments/" + definition.service) {
    refuse(fmt::format("{}: its LAND changed {}, and its definition names {}", view.slug, land.path,
                       definition.service));
  }
  land.rows = rows_of(view, *attempt, land.scope);
  return land;
}

std::string with_returned_land(const std::string& text, const ReturnedLand& land,
                               const std::vector<ReturnedLand>& known,
                               std::vector<std::string>& changes) {
  ServiceMap map = parse_service_map(text, land.path);
  bool changed = false;
  for (const ReturnedLand::Row& row : land.rows) {
    const std::string name = row_name(row.device_key, land.scope, row.op);
    const MapRow* here = find_row(map, row.device_key, land.scope, row.op);
    if (here == nullptr) {
      refuse(
          fmt::format("{}: {} landed {}, but here is no row for {}: write it by hand with {}, "
                      "then import again",
                      land.path, land.slug, row.candidate, name, row.incumbent));
    }
    if (here->row.variant == row.candidate && here->by == land.slug) continue;
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
  return changed ? emit(map) : text;
}

}  // namespace assay
