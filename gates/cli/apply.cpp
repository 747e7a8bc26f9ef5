// assay apply ID [--discard]: settles a LAND whose change to the service map did not go through,
// because the file was neither what the run had read nor what the LAND would make of it.
//
// The change of a LAND is one row. Applying sets that row in the file as it is now, and keeps
// whatever else was edited; discarding leaves the file alone. Either way the run ends and says what
// was done, so that file and record never disagree in silence. The LANDs of an import that was cut
// short are settled in the same way, each by itself; and so is one that was settled before, or
// whose row was edited since: what is decided later counts.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>

#include "engine/core/whole_file.h"
#include "gates/cli/command.h"
#include "gates/cli/import_steps.h"
#include "gates/cli/workspace.h"
#include "gates/landing.h"
#include "gates/served_rows.h"

namespace assay {
namespace {

struct Options {
  std::string id;
  bool discard = false;
};

RunOpened opening(const CommonOptions& common) {
  return {.command = "apply", .argv = common.argv, .provenance = light_provenance()};
}

int nothing_waits(const ExperimentLabel& label, const std::string& why) {
  std::cout << fmt::format("{:04} {}: {}; nothing changed\n", label.number, label.slug, why);
  return 0;
}

std::string kept_line(const ExperimentLabel& label, const std::string& path) {
  return fmt::format("{:04} {}: the LAND stays on record, and {} stays as it is\n", label.number,
                     label.slug, path);
}

std::string put_line(const ExperimentLabel& label, const std::string& path) {
  return fmt::format("{:04} {}: {} has the landed row now\n", label.number, label.slug, path);
}

bool holds(const ServiceMap& map, const LandClaim& claim) {
  return std::all_of(claim.rows.begin(), claim.rows.end(), [&](const LandClaim::Row& row) {
    return is_as_landed(find_row(map, row.device_key, claim.scope, row.op), row, claim.slug);
  });
}

// A LAND that waits for nothing: its row may be another one by now, or was let go.
int settle_again(Workspace& workspace, const ExperimentLabel& label, bool discard,
                 const CommonOptions& common) {
  const ExperimentView view = workspace.view(label);
  if (!has_landed(view)) return nothing_waits(label, "no LAND is waiting to be applied");
  const LandClaim claim = land_claim(view);
  std::vector<ExperimentView> views;
  for (const ExperimentLabel& other : workspace.store().experiments()) {
    views.push_back(workspace.view(other));
  }
  const std::string later = successor(views, view);
  if (!later.empty()) return nothing_waits(label, "its row went on to " + later);
  const std::string before = text_of(workspace.root(), claim.path).value_or("");
  const ServiceMap map = parse_service_map(before, claim.path);
  const auto settled = last_settlement(view);
  if (holds(map, claim) || (discard && settled && settled->kept)) {
    return nothing_waits(label, "no LAND is waiting to be applied");
  }
  const std::string after = discard ? before : emit(with_claim(map, claim));
  if (!discard) replace_linked_file(workspace.root() + "/" + claim.path, after, claim.path);
  workspace.store().together(
      [&] { record_settlement(claim, after, discard, opening(common), workspace.store()); });
  workspace.publish(label);
  std::cout << (discard ? kept_line(label, claim.path) : put_line(label, claim.path));
  return 0;
}

int act(const Options& options, const CommonOptions& common) {
  Workspace workspace(common, Access::kSettle);
  Store& store = workspace.store();
  const ExperimentLabel label = workspace.experiment(options.id);
  const auto import = pending_import(store);
  if (import && std::count(import->body.experiments.begin(), import->body.experiments.end(),
                           label.slug) > 0) {
    for (const std::string& line : settle_import(*import, store, workspace.root(), label.slug,
                                                 options.discard, opening(common))) {
      std::cout << line << "\n";
    }
    return 0;
  }
  for (const OpenIntent& open : open_intents(store)) {
    if (open.slug != label.slug) continue;
    settle_intent(open, workspace.root(), store, options.discard);
    std::cout << (options.discard ? kept_line(label, open.intent.path)
                                  : put_line(label, open.intent.path));
    workspace.publish(label);
    return 0;
  }
  // What else waits is first: its file must not change before.
  if (import) finish_import(*import, store, workspace.root());
  for (const OpenIntent& open : open_intents(store)) finish_landing(workspace, open.slug);
  return settle_again(workspace, label, options.discard, common);
}

}  // namespace

Action define_apply(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("ID", options->id, "the experiment's slug or number")->required();
  app.add_flag("--discard", options->discard, "leave the file as it is, and say so on record");
  return [options](const CommonOptions& common) { return act(*options, common); };
}

}  // namespace assay
