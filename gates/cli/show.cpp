// assay show ID: the record's text for a terminal, or its JSON.
#include <unistd.h>

#include <iostream>
#include <memory>

#include "gates/cli/command.h"
#include "gates/cli/workspace.h"
#include "recorder/document.h"
#include "recorder/text_form.h"

namespace assay {
namespace {

int act(const std::string& id, const CommonOptions& common) {
  Workspace workspace(common, Access::kRead);
  const ExperimentLabel label = workspace.experiment(id);
  std::cout << (common.json ? export_experiment(workspace.store(), label)
                            : render_terminal(workspace.store(), label, workspace.root(),
                                              isatty(STDOUT_FILENO) == 1))
            << std::flush;
  return workspace.exit_code();
}

}  // namespace

Action define_show(CLI::App& app) {
  auto id = std::make_shared<std::string>();
  app.add_option("ID", *id, "the experiment's slug or number")->required();
  return [id](const CommonOptions& common) { return act(*id, common); };
}

}  // namespace assay
