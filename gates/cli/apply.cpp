// assay apply ID [--discard]: settles a LAND whose change to the service map did not go through,
// because the file was neither what the run had read nor what the LAND would make of it.
//
// The change of a LAND is one row. Applying sets that row in the file as it is now, and keeps
// whatever else was edited; discarding leaves the file alone. Either way the run ends and says what
// was done, so that file and record never disagree in silence. An import that was cut short is
// settled in the same way, by any of its experiments.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>

#include "gates/cli/command.h"
#include "gates/cli/import_steps.h"
#include "gates/cli/workspace.h"
#include "gates/landing.h"

namespace assay {
namespace {

struct Options {
  std::string id;
  bool discard = false;
};

int act(const Options& options, const CommonOptions& common) {
  Workspace workspace(common, Access::kSettle);
  const ExperimentLabel label = workspace.experiment(options.id);
  const auto import = pending_import(workspace.store());
  if (import && std::count(import->body.experiments.begin(), import->body.experiments.end(),
                           label.slug) > 0) {
    settle_import(*import, workspace.store(), workspace.root(), options.discard);
    std::cout << fmt::format("{:04} {}: the import is settled; the history is whole\n",
                             label.number, label.slug);
    return 0;
  }
  for (const OpenIntent& open : open_intents(workspace.store())) {
    if (open.slug != label.slug) continue;
    settle_intent(open, workspace.root(), workspace.store(), workspace.store(), options.discard);
    std::cout << (options.discard
                      ? fmt::format("{:04} {}: the LAND stays on record, and {} stays as it is\n",
                                    label.number, label.slug, open.intent.path)
                      : fmt::format("{:04} {}: {} has the landed row now\n", label.number,
                                    label.slug, open.intent.path));
    workspace.publish(label);
    return 0;
  }
  std::cout << fmt::format("{:04} {}: no LAND is waiting to be applied; nothing changed\n",
                           label.number, label.slug);
  return 0;
}

}  // namespace

Action define_apply(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("ID", options->id, "the experiment's slug or number")->required();
  app.add_flag("--discard", options->discard, "leave the file as it is, and say so on record");
  return [options](const CommonOptions& common) { return act(*options, common); };
}

}  // namespace assay
