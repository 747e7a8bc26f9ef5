// assay report ID: what a pull request should say of an experiment, as Markdown on standard output.
// From stored data only, so it says the same wherever the record is.
#include <iostream>
#include <memory>

#include "gates/cli/command.h"
#include "gates/cli/workspace.h"
#include "recorder/report.h"

namespace assay {
namespace {

int act(const std::string& id, const CommonOptions& common) {
  const Workspace workspace(common, Access::kRead);
  const ExperimentLabel label = workspace.experiment(id);
  std::cout << render_report(workspace.store(), label, workspace.root()) << std::flush;
  return workspace.exit_code();
}

}  // namespace

Action define_report(CLI::App& app) {
  auto id = std::make_shared<std::string>();
  app.add_option("ID", *id, "the experiment's slug or number")->required();
  return [id](const CommonOptions& common) { return act(*id, common); };
}

}  // namespace assay
