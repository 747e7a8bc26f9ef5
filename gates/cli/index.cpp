// assay index: every record and the index, rendered again from history.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <memory>

#include "engine/core/error.h"
#include "experiments/historical.h"
#include "gates/cli/command.h"
#include "gates/cli/told_historical.h"
#include "gates/cli/workspace.h"
#include "recorder/catalog.h"
#include "recorder/document.h"
#include "recorder/ghost_labels.h"
#include "recorder/notes_check.h"

namespace assay {

Action define_index(CLI::App& app) {
  auto all = std::make_shared<bool>(false);
  app.add_flag(
      "--all", *all,
      "look into every file, also where size and time say that nobody changed it; and make anew "
      "what questions are answered from");
  return [all](const CommonOptions& common) {
    Workspace workspace(common, Access::kWrite);
    refuse_ghost_labels(workspace.store(), workspace.database());
    if (const auto faults = unfit_in_notes(workspace.store(), workspace.root()); !faults.empty()) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{}\nnothing was written: these notes are to be mended first",
                              fmt::join(faults, "\n")));
    }
    if (*all) Catalog::forget(workspace.store());
    const int changed = write_all(workspace.store(), workspace.root(), *all);
    for (const std::string& path : remove_orphans(workspace.store(), workspace.root())) {
      std::cout << fmt::format("removed {}: its experiment has another number now, or is gone\n",
                               path);
    }
    const std::size_t count = workspace.store().experiments().size();
    std::cout << fmt::format("index: {} experiment{}, {} file{} written, results/index.md\n", count,
                             count == 1 ? "" : "s", changed, changed == 1 ? "" : "s");
    const HistoricalEntries historical = told_historical(workspace.root());
    return historical.faults.empty() ? 0 : static_cast<int>(ErrorKind::kCheckFound);
  };
}

}  // namespace assay
