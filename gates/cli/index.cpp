// assay index: every record and the index, rendered again from history.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/error.h"
#include "experiments/historical.h"
#include "gates/cli/command.h"
#include "gates/cli/workspace.h"
#include "recorder/catalog.h"
#include "recorder/document.h"
#include "recorder/ghost_labels.h"
#include "recorder/notes_check.h"

namespace assay {
namespace {

// What is made from all of them would lack what these say.
void refuse_faults(const std::vector<std::string>& faults, std::string_view of_what) {
  if (faults.empty()) return;
  throw Error(ErrorKind::kUsage,
              fmt::format("{}\nnothing was written: these {} are to be mended first",
                          fmt::join(faults, "\n"), of_what));
}

}  // namespace

Action define_index(CLI::App& app) {
  auto all = std::make_shared<bool>(false);
  app.add_flag(
      "--all", *all,
      "look into every file, also where size and time say that nobody changed it; and make anew "
      "what questions are answered from");
  return [all](const CommonOptions& common) {
    Workspace workspace(common, Access::kWrite);
    refuse_ghost_labels(workspace.store(), workspace.database());
    refuse_faults(unfit_in_notes(workspace.store(), workspace.root()), "notes");
    refuse_faults(read_historical(workspace.root()).faults, "entries");
    if (*all) Catalog::forget(workspace.store());
    const int changed = write_all(workspace.store(), workspace.root(), *all);
    for (const std::string& path : remove_orphans(workspace.store(), workspace.root())) {
      std::cout << fmt::format("removed {}: its experiment has another number now, or is gone\n",
                               path);
    }
    const std::size_t count = workspace.store().experiments().size();
    std::cout << fmt::format("index: {} experiment{}, {} file{} written, results/index.md\n", count,
                             count == 1 ? "" : "s", changed, changed == 1 ? "" : "s");
    return 0;
  };
}

}  // namespace assay
